import { beforeEach, expect, test } from 'vitest';
import { createOutageNotice } from './outage-notice.js';

let nowMs: number;
let fault: string | undefined;
let isReached: boolean;
/** Beginnings of the outages that a notice was sent about. */
let sent: number[];
let run: () => Promise<void>;

beforeEach(() => {
  nowMs = 1_000_000;
  fault = undefined;
  isReached = true;
  sent = [];
  run = createOutageNotice({
    findFault: async () => fault,
    isBeginning: (words) => words === 'full',
    send: async ({ sinceMs }) => {
      sent.push(sinceMs);
      return isReached;
    },
    nowMs: () => nowMs,
  });
});

/** Runs a round after so many seconds. */
const after = (seconds: number) => {
  nowMs += seconds * 1000;
  return run();
};

test('sends one notice when the outage has lasted for ten seconds', async () => {
  fault = 'full';
  await run();
  await after(9);
  expect(sent).toEqual([]);
  await after(1);
  for (let n = 0; n < 3; n += 1) await after(3_600);
  expect(sent).toEqual([1_000_000]);
});

test.each([
  ['sends nothing about a fault by which no outage begins', ['away', 'away'], []],
  ['continues an outage by any fault', ['full', 'away'], [1_000_000]],
  ['sends nothing if the outage ended', ['full', undefined], []],
  ['begins to count again after a round without a fault', ['full', undefined, 'full'], []],
])('%s', async (_, faults, expected) => {
  for (const each of faults) {
    fault = each;
    await run();
    nowMs += 10_000;
  }
  expect(sent).toEqual(expected);
});

test('sends again each minute until the notice reaches a receiver', async () => {
  fault = 'full';
  isReached = false;
  await run();
  await after(10);
  await after(59);
  expect(sent).toHaveLength(1);
  isReached = true;
  await after(1);
  await after(60);
  expect(sent).toHaveLength(2);
});

test('sends about the next outage only after an hour', async () => {
  const outage = async () => {
    fault = 'full';
    await run();
    await after(10);
    fault = undefined;
    await run();
  };
  await outage();
  await outage();
  expect(sent).toHaveLength(1);
  nowMs += 3_600_000;
  await outage();
  expect(sent).toHaveLength(2);
});

test('sends after the clock was set back', async () => {
  fault = 'full';
  await run();
  await after(-86_400);
  expect(sent).toEqual([]);
  await after(10);
  expect(sent).toHaveLength(1);
});
