import { readFileSync } from 'node:fs';
import { type FqdnState, fqdnStates, renewalOutlooks } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { eventTypes } from '../../src/events/event.js';
import { noticeAt } from '../../src/statuses/attention.js';
import type { StatusFacts } from '../../src/statuses/computed-status.js';
import { countedStates } from '../../src/system/scrape.repository.js';
import { isExpiryNews } from '../../src/watch/notices/event-rules.js';
import { missingSignal, signalNow } from '../../src/watch/signal-now.js';

const page = readFileSync(new URL('../../../../../docs/watch.md', import.meta.url), 'utf8');

/** Rows of the table with these words in its head, without backticks around words. */
function rowsBelow(head: string): string[][] {
  const lines = page.slice(page.indexOf(head)).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  );
}

const states = rowsBelow('| API and command line');

test('the table of states in docs/watch.md has all states, in their order', () => {
  expect(states.map(([state]) => state)).toEqual([...fqdnStates]);
});

test('the table of states names the metric of each state that is counted', () => {
  const counted = states.filter(([, , , metric]) => metric !== 'none');
  expect(new Set(counted.map(([state]) => state))).toEqual(new Set(countedStates));
  for (const [state, , , metric] of counted) expect(metric).toBe(`cert_manager_fqdns{state="${state}"}`);
});

test('the table of states names notices that there are', () => {
  const named = states.flatMap(([, , , , notices = '']) => (notices === 'none' ? [] : notices.split(', ')));
  for (const notice of named) expect(eventTypes).toContain(notice);
});

const day = 86_400_000;
const now = new Date('2026-03-01T12:00:00.000Z');
const inDays = (days: number) => new Date(now.getTime() + days * day);
const endingIn = (days: number) => {
  const notBefore = inDays(days - 90);
  return { id: 'c1', notBefore, expiresAt: inDays(days), createdAt: notBefore, revokedAt: null };
};

function factsOf(certificate: StatusFacts['certificate']): StatusFacts {
  return {
    renewalEnabled: false,
    expiryAcceptedUntil: null,
    certificate,
    outlook: { isPlanned: false, hindrance: certificate === undefined ? 'no_certificate' : 'switched_off' },
    dueAt: certificate && noticeAt(certificate),
    scheduledAt: undefined,
    refusal: undefined,
    renewalFailure: undefined,
    requestFailure: undefined,
    served: undefined,
  };
}

const samples: Readonly<Record<FqdnState, StatusFacts>> = {
  unfinished: factsOf(undefined),
  expired: factsOf(endingIn(-1)),
  failing: { ...factsOf(endingIn(80)), served: { at: inDays(-1), reason: 'the server serves another one' } },
  due: factsOf(endingIn(10)),
  valid: factsOf(endingIn(80)),
};
const statuses = { success: 'up', fail: 'down', none: 'new' } as const;

test.each(states)('a name that is %s, in the console "%s", has a check that is %s', (state, _, check) => {
  const facts = samples[state as FqdnState];
  const shown = signalNow(facts, now);
  expect(shown.state).toBe(state);
  expect(statuses[missingSignal(shown, 'none') ?? 'none']).toBe(check);
  expect(isExpiryNews(facts, now)).toBe(state === 'due');
});

test('the table of outlooks in docs/watch.md has all words', () => {
  const words = rowsBelow('| `outlook` | Console').flatMap(([cell = '']) => cell.split(', '));
  expect(new Set(words)).toEqual(new Set(renewalOutlooks));
});
