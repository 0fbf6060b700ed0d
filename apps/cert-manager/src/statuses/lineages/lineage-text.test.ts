import { describe, expect, test } from 'vitest';
import type { Lineage } from './lineage.js';
import { dayText, failedOrderText, lateText, renewedText, spokenOf } from './lineage-text.js';
import { agentOf } from './user-agent.js';

const now = new Date('2026-11-03T08:00:00.000Z');

function lineageOf(name: string, more: Partial<Lineage> = {}): Lineage {
  return {
    ...{ lineage: name, fqdn: 'www.example.com', accountId: 'a1', ipAddress: '10.0.0.7' },
    client: { id: name, name },
    userAgent: 'CertBot/2.1.0 (certbot; Debian GNU/Linux 12 (bookworm)) Authenticator/standalone Py/3.11.2',
    seenAt: new Date('2026-10-03T04:05:06.000Z'),
    certificate: {
      ...{ id: name, serialNumber: '01', revokedAt: null },
      notBefore: new Date('2026-09-02T00:00:00.000Z'),
      expiresAt: new Date('2026-12-01T00:00:00.000Z'),
    },
    windowEnd: undefined,
    failure: undefined,
    ...more,
  };
}

function spoken(...lineages: readonly Lineage[]) {
  const found = spokenOf(lineages);
  if (found === undefined) throw new RangeError('no lineage');
  return found;
}

const web7 = lineageOf('web-7');
const web8 = lineageOf('web-8', {
  userAgent: 'goacme-lego/4.35.2 xenolf-acme/4.35.2 (release; linux; amd64)',
  seenAt: new Date('2026-11-02T00:00:00.000Z'),
  ipAddress: '10.0.0.8',
});
const failed = { at: now, reason: 'www.example.com: CAA forbids it.' };
const revoked = { ...web7.certificate, revokedAt: new Date('2026-10-30T00:00:00.000Z') };

test.each([
  [
    'a client that is late',
    lateText(spoken(web7), now),
    'client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) has not renewed www.example.com, which expires on 1 December: look at that machine',
  ],
  [
    'a client that was late until the end',
    lateText(spoken(web7), new Date('2027-01-05T00:00:00.000Z')),
    'client web-7 (certbot 2.1, last seen 3 October 2026 from 10.0.0.7) has not renewed www.example.com, which expired on 1 December 2026: look at that machine',
  ],
  [
    'a client that has not replaced a revoked certificate',
    lateText(spoken({ ...web7, certificate: revoked }), now),
    'client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) has not renewed www.example.com, whose certificate was revoked on 30 October: look at that machine',
  ],
  [
    'one of two clients that is late',
    lateText(spoken(web7, web8), now),
    'client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) has not renewed www.example.com, which expires on 1 December: look at that machine; it has certificates of client web-8 (lego 4.35, last seen 2 November from 10.0.0.8) too',
  ],
  [
    'a client whose order failed',
    failedOrderText(spoken({ ...web7, failure: failed }), now),
    'client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) could not renew www.example.com, which expires on 1 December: www.example.com: CAA forbids it',
  ],
  [
    'a client that is expected',
    renewedText(spoken(web7), now),
    'client web-7 (certbot 2.1, last seen 3 October from 10.0.0.7) renews it, expected by 1 November',
  ],
  [
    'a client whose program names itself with control characters and without end',
    renewedText(
      spoken({ ...web7, client: { id: 'x', name: 'we\u202eb' }, userAgent: `a${'b'.repeat(500)}` }),
      now,
    ),
    `client we b (a${'b'.repeat(39)}, last seen 3 October from 10.0.0.7) renews it, expected by 1 November`,
  ],
])('names %s', (_, text, expected) => {
  expect(text).toBe(expected);
});

test('names four of many clients and counts the others', () => {
  const all = Array.from({ length: 7 }, (_, index) => lineageOf(`web-${index}`, { userAgent: '' }));
  const text = lateText(spoken(...all), now);
  expect(text.match(/client web-\d/g)).toHaveLength(4);
  expect(text).toMatch(/, client web-3 \(last seen 3 October from 10\.0\.0\.7\) and 3 more too$/);
});

test.each([
  ['2026-01-01T00:00:00.000Z', '1 January'],
  ['2025-12-31T23:59:59.999Z', '31 December 2025'],
  ['2027-02-09T00:00:00.000Z', '9 February 2027'],
])('names the day %s by %s', (moment, text) => {
  expect(dayText(new Date(moment), now)).toBe(text);
});

describe('agentOf', () => {
  test.each([
    ['CertBot/2.1.0 (certbot; Debian GNU/Linux 12 (bookworm)) Py/3.11.2', 'certbot 2.1'],
    ['goacme-lego/4.35.2 xenolf-acme/4.35.2 (release; linux; amd64)', 'lego 4.35'],
    ['xenolf-acme/4.9.1 (release; linux; amd64)', 'lego 4.9'],
    ['containous-traefik/3.1.0 xenolf-acme/4.9.1 (release; linux; amd64)', 'Traefik 3.1'],
    ['acme.sh/3.0.9 (https://github.com/acmesh-official/acme.sh)', 'acme.sh 3.0'],
    ['dehydrated/0.7.0 curl/7.88.1', 'dehydrated 0.7'],
    ['uacme/1.7.3 (https://github.com/ndilieto/uacme)', 'uacme 1.7'],
    ['Caddy/2.11.1 CertMagic acmez (linux; amd64)', 'Caddy 2.11'],
    ['Apache/2.4.62 (Debian) mod_md/2.4.26', 'mod_md 2.4'],
    ['cert-manager-challenges/v1.14.0 (linux/amd64) cert-manager/abc', 'cert-manager for Kubernetes 1.14'],
    ['Go-http-client/2.0', 'Go-http-client 2.0'],
    ['my-client', 'my-client'],
    ['my client/1', 'my'],
    ['', undefined],
    ['(none)', undefined],
    ['12/3', undefined],
  ])('reads %j as %s', (userAgent, agent) => {
    expect(agentOf(userAgent)).toBe(agent);
  });
});
