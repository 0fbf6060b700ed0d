import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { playHistory } from '../support/histories.js';
import { type OneProcess, startOneProcess } from '../support/one-process.js';

const { HISTORIES_SEED = '1', HISTORIES_COUNT = '4' } = process.env;

describeEachDialect('random histories of names', (open) => {
  let stack: OneProcess;
  beforeAll(async () => {
    stack = await startOneProcess(open);
  });
  afterAll(() => stack.close());

  test('show no check better than its name, no end without a message, and no message twice', async () => {
    const first = Number(HISTORIES_SEED);
    for (let seed = first; seed < first + Number(HISTORIES_COUNT); seed += 1)
      expect(await playHistory(stack, seed)).toEqual([]);
  });
});
