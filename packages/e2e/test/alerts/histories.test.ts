import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { playHistories } from '../support/histories/play-histories.js';
import { type OneProcess, startOneProcess } from '../support/one-process.js';

const { HISTORIES_SEED = '1', HISTORIES_COUNT = '100' } = process.env;
// played at once; with both databases a minute on a slow machine
const batchSize = 100;

describeEachDialect('random histories of names', (open) => {
  let stack: OneProcess;
  beforeAll(async () => {
    stack = await startOneProcess(open, { checkLimit: 1_000_000 });
  });
  afterAll(() => stack.close());

  test('show no check better than its name, no end without a message, and no message twice', async () => {
    const end = Number(HISTORIES_SEED) + Number(HISTORIES_COUNT);
    for (let seed = Number(HISTORIES_SEED); seed < end; seed += batchSize)
      expect(await playHistories(stack, seed, Math.min(batchSize, end - seed))).toEqual([]);
  });
});
