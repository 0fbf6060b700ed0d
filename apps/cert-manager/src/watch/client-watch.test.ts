import type { FqdnState } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeStatus, expectedOfFacts, type StatusFacts, stateAt } from '../statuses/computed-status.js';
import { clientNews, outlookAt, statusReasonOf } from '../statuses/fqdn-status.js';
import { type Lineage, worstFirst } from '../statuses/lineages/lineage.js';
import { spokenOf } from '../statuses/lineages/lineage-text.js';
import { isExpiryNews } from './notices/event-rules.js';
import { signalNow } from './signal-now.js';
import { type WatchMode, watchModeOf } from './watch-mode.js';

const day = 86_400_000;
const now = new Date('2026-11-03T08:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * day);

interface Story {
  readonly name?: string;
  /** Days until the end of a certificate of 90 days. */
  readonly left?: number;
  /** Days until the end of the window that the client has read. */
  readonly window?: number | undefined;
  /** Days since its last order failed. */
  readonly failed?: number | undefined;
}

function lineageOf({ name = 'web-7', left = 60, window, failed }: Story = {}): Lineage {
  const certificate = { notBefore: inDays(left - 90), expiresAt: inDays(left), revokedAt: null };
  return {
    ...{ lineage: name, fqdn: 'www.example.com', accountId: name, ipAddress: '10.0.0.7' },
    client: { id: name, name },
    userAgent: 'certbot/2.1',
    seenAt: new Date('2026-10-03T00:00:00.000Z'),
    certificate: { id: name, serialNumber: '01', ...certificate },
    windowEnd: window === undefined ? undefined : inDays(window),
    failure: failed === undefined ? undefined : { at: inDays(-failed), reason: 'CAA forbids it' },
  };
}

/** Of an FQDN whose newest certificate is that of the first story; without any, its client is gone. */
function factsOf(stories: readonly Story[], more: Partial<StatusFacts> = {}): StatusFacts {
  const lineages = stories.map(lineageOf);
  const { certificate } = lineages[0] ?? lineageOf({ left: 60 });
  const hindrance = lineages.length > 0 ? 'renewed_by_client' : 'no_csr';
  return {
    renewalEnabled: true,
    expiryAcceptedUntil: null,
    certificate: { ...certificate, createdAt: certificate.notBefore, acmeClientId: 'k1' },
    lineages: worstFirst(lineages),
    outlook: { isPlanned: false, hindrance },
    dueAt: inDays(-1),
    scheduledAt: undefined,
    refusal: undefined,
    renewalFailure: undefined,
    requestFailure: undefined,
    served: undefined,
    ...more,
  };
}

function shownOf(facts: StatusFacts) {
  const status = computeStatus(facts);
  const state = stateAt(status, now);
  const lineages = spokenOf(facts.lineages ?? []);
  const others = { acceptedUntil: undefined, isRenewedElsewhere: false, isAdopting: false, hasCsr: false };
  const reason = statusReasonOf(status, { state, lineages, now, ...others });
  return { status, state, reason, signal: signalNow(facts, now).signal };
}

const who = (name = 'web-7') => `client ${name} (certbot 2.1, last seen 3 October from 10.0.0.7)`;
const late = `C${who().slice(1)} has not renewed www.example.com, which expires on`;

describe('an FQDN whose ACME client renews it', () => {
  test.each<[string, readonly Story[], FqdnState, 'success' | 'fail', string]>([
    ['is expected', [{}], 'valid', 'success', `C${who().slice(1)} renews it, expected by 3 December.`],
    ['is late within its grace', [{ left: 29.5 }], 'valid', 'success', 'renews it, expected by 2 November.'],
    ['is late', [{ left: 29 }], 'due', 'fail', `${late} 2 December: look at that machine.`],
    [
      'has read a window, and is late',
      [{ left: 40, window: -1 }],
      'due',
      'fail',
      `${late} 13 December: look at that machine.`,
    ],
    [
      'has read a window that lasts',
      [{ left: 29, window: 1 }],
      'valid',
      'success',
      'expected by 4 November.',
    ],
    [
      'failed',
      [{ failed: 0.1 }],
      'failing',
      'fail',
      'could not renew www.example.com, which expires on 2 January 2027: CAA forbids it.',
    ],
    [
      'let it expire',
      [{ left: -1 }],
      'expired',
      'fail',
      'which expired on 2 November: look at that machine.',
    ],
    [
      'stopped on one of two machines',
      [{ name: 'web-8' }, { left: 20 }],
      'due',
      'fail',
      `${late} 23 November: look at that machine; it has certificates of ${who('web-8')} too.`,
    ],
    [
      'failed on one of two machines',
      [{ name: 'web-8' }, { failed: 1 }],
      'failing',
      'fail',
      `CAA forbids it; it has certificates of ${who('web-8')} too.`,
    ],
    [
      'was late on one machine before it failed on another',
      [{ name: 'web-8', failed: 1 }, { left: 20 }],
      'failing',
      'fail',
      `${late} 23 November: look at that machine; it has certificates of ${who('web-8')} too.`,
    ],
  ])('%s', (_, stories, state, signal, reason) => {
    const facts = factsOf(stories);
    const shown = shownOf(facts);
    expect(shown).toMatchObject({ state, signal });
    expect(shown.reason).toContain(reason);
    expect(outlookAt(shown.status, { renewal: undefined }, now)).toBe('renewed_by_client');
    expect(shown.status.client).toBe('renews');
    const isLate = stories.some(({ left = 60, window = left - 30 }) => window <= -1);
    expect(isExpiryNews(facts, now)).toBe(isLate && state !== 'expired');
  });

  test('is due work of its provider on the day on which it is expected', () => {
    expect(computeStatus(factsOf([{}])).renewAt).toEqual(inDays(30));
    expect(computeStatus(factsOf([{ window: 20 }])).renewAt).toEqual(inDays(20));
  });

  test('is as good or bad with renewal on and off', () => {
    const stories = fc.array(
      fc.record({
        name: fc.uuid(),
        left: fc.integer({ min: -5, max: 90 }),
        window: fc.option(fc.integer({ min: -40, max: 60 }), { nil: undefined }),
        failed: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(stories, (some) => {
        const on = shownOf(factsOf(some));
        expect(shownOf(factsOf(some, { renewalEnabled: false }))).toEqual(on);
        expect(on.signal).toBe(on.state === 'valid' ? 'success' : 'fail');
        const { attentionAt } = on.status;
        expect(attentionAt !== null && attentionAt <= now).toBe(on.state !== 'valid');
        if (on.state !== 'valid') expect(on.reason).toContain('www.example.com');
      }),
    );
  });

  test('and which is not served says so first', () => {
    const served = { at: inDays(-1), reason: 'www.example.com:443 serves an earlier certificate' };
    const { state, reason } = shownOf(factsOf([{}], { served }));
    expect(state).toBe('failing');
    expect(reason).toBe('www.example.com:443 serves an earlier certificate.');
  });
});

describe('an FQDN whose ACME client is gone', () => {
  test('is expected to be renewed by people, as with renewal off', () => {
    const facts = factsOf([]);
    const { status, state } = shownOf(facts);
    expect({ state, client: status.client }).toEqual({ state: 'valid', client: 'gone' });
    expect(expectedOfFacts(facts)?.expectedAt).toEqual(inDays(30));
    expect(outlookAt(status, { renewal: undefined }, now)).toBe('no_csr');
  });
});

test('an FQDN with a newer certificate of a person needs the one who must act first', () => {
  const own = { id: 'c2', notBefore: inDays(-1), expiresAt: inDays(89), revokedAt: null };
  const renewAt = inDays(59);
  const plan = { rule: 'two_thirds', earliest: renewAt, latest: renewAt, renewAt } as const;
  const planned = { isPlanned: true, certificateId: 'c2', providerId: 'p1', plan } as const;
  const certificate = { ...own, createdAt: own.notBefore, acmeClientId: null };
  const mixed = { certificate, outlook: planned, dueAt: renewAt };
  expect(shownOf(factsOf([{}], mixed))).toMatchObject({ state: 'valid', status: { client: null } });
  const { state, reason } = shownOf(factsOf([{ left: 20 }], mixed));
  expect(state).toBe('due');
  expect(reason).toContain(`${late} 23 November`);
  const status = computeStatus(factsOf([{ left: 20 }], mixed));
  expect(clientNews(status, undefined, { isLate: true, now })).toBeUndefined();
});

test.each<[string, Parameters<typeof watchModeOf>[0], number | undefined, WatchMode]>([
  [
    'renews',
    { renewalEnabled: true, expiryAcceptedUntil: null, hasLineages: true, client: 'renews' },
    60,
    'renewal',
  ],
  [
    'renews',
    { renewalEnabled: false, expiryAcceptedUntil: null, hasLineages: true, client: 'renews' },
    60,
    'renewal',
  ],
  [
    'renews, accepted',
    { renewalEnabled: false, expiryAcceptedUntil: inDays(9), hasLineages: true },
    60,
    'accepted',
  ],
  [
    'renews, accepted before',
    { renewalEnabled: false, expiryAcceptedUntil: inDays(0), hasLineages: true },
    60,
    'renewal',
  ],
  ['is gone', { renewalEnabled: true, expiryAcceptedUntil: null, client: 'gone' }, 60, 'expiry'],
  ['is gone', { renewalEnabled: false, expiryAcceptedUntil: null, client: 'gone' }, 60, 'expiry'],
  ['is gone for long', { renewalEnabled: true, expiryAcceptedUntil: null, client: 'gone' }, -31, 'no'],
])('an FQDN whose client %s, with %j, is watched', (_, facts, left, mode) => {
  expect(watchModeOf(facts, left === undefined ? left : { expiresAt: inDays(left) }, now)).toBe(mode);
});
