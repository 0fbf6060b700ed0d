import { X509Certificate } from 'node:crypto';
import { dnsIdentifiers } from '@certloop/acme-server/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { startAcme } from '../support/acme.js';
import { startCa, type TestCa } from '../support/app.js';

const now = new Date('2026-11-21T10:00:00.700Z');
let ca: TestCa;
beforeAll(async () => {
  ca = await startCa({ rootPastDays: 365 }, { now });
});

const seconds = (text: string) => (Date.parse(text) - Date.parse('2026-11-21T10:00:00Z')) / 1000;
const boundsOf = ({ validFrom, validTo }: X509Certificate) => [seconds(validFrom), seconds(validTo)];

describe('POST /csr issues', () => {
  test.each([
    ['for seconds, begun a tenth earlier', { validity_seconds: 10 }, [-1, 9]],
    ['for seconds rather than days', { validity_seconds: 3600, validity_days: 7 }, [-60, 3540]],
    ['for a second', { validity_seconds: 1 }, [0, 1]],
    ['what has expired', { validity_seconds: 60, not_before_offset_seconds: -7200 }, [-7200, -7140]],
    [
      'what expired long ago',
      { validity_days: 1, not_before_offset_seconds: -864_000 },
      [-864_000, -777_600],
    ],
    ['what is not yet valid', { validity_seconds: 60, not_before_offset_seconds: 7200 }, [7200, 7260]],
    ['from this second', { validity_days: 1, not_before_offset_seconds: 0 }, [0, 86_400]],
  ])('%s', async (_, members, bounds) => {
    expect(boundsOf((await ca.issue(members)).certificate)).toEqual(bounds);
  });

  test.each([
    ['validity_seconds', 0],
    ['validity_seconds', -1],
    ['validity_seconds', 1.5],
    ['validity_seconds', '60'],
    ['validity_seconds', null],
    ['validity_seconds', 3_153_600_001],
    ['not_before_offset_seconds', 0.5],
    ['not_before_offset_seconds', '-60'],
    ['not_before_offset_seconds', null],
    ['not_before_offset_seconds', -400 * 86_400],
    ['not_before_offset_seconds', 3_153_600_000],
  ])('refuses %s %p with 400 that names it', async (field, value) => {
    const { body } = await ca.sign({ [field]: value }).expect(400);
    expect(body).toEqual({ error: expect.stringMatching(new RegExp(`^${field}: `)) });
  });

  test('with the backdating of the settings', async () => {
    const exact = await startCa({ backdateSeconds: 0 }, { now });
    expect(boundsOf((await exact.issue({ validity_days: 1 })).certificate)).toEqual([0, 86_400]);
  });
});

describe('a profile of ACME', () => {
  const profiles = [
    { name: 'past', validitySeconds: 60, notBeforeOffsetSeconds: -7200 },
    { name: 'future', validitySeconds: 60, notBeforeOffsetSeconds: 7200 },
    { name: 'impossible', validitySeconds: 60, notBeforeOffsetSeconds: -31_536_000 },
  ];

  test('may issue what has expired or is not yet valid', async () => {
    const acme = await startAcme({ now, settings: { profiles } });
    const client = await acme.client();
    const issue = async (profile: string) => {
      const { pem } = await client.issue(dnsIdentifiers('a.test'), { profile });
      return boundsOf(new X509Certificate(pem));
    };
    expect(await issue('past')).toEqual([-7200, -7140]);
    expect(await issue('future')).toEqual([7200, 7260]);
    const { status, body } = await client.order(dnsIdentifiers('a.test'), { profile: 'impossible' });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { type: expect.stringMatching(/malformed$/) },
    });
    await acme.close();
  });
});

test('a certificate of ACME is found by its id like those of POST /csr', async () => {
  const acme = await startAcme();
  const { pem, order } = await (await acme.client()).issue(dnsIdentifiers('a.test'));
  const id = order.certificate?.split('/').at(-1);
  const answer = await fetch(`${acme.url}/certificate/${id}`);
  const body = (await answer.json()) as { readonly certificate: string };
  expect(body).toEqual({ id, certificate: expect.any(String), created_at: acme.clock.now().toISOString() });
  expect(pem.startsWith(body.certificate)).toBe(true);
  await acme.close();
});
