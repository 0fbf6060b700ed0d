import { expect, test } from 'vitest';
import { databaseClock } from '../../src/index.js';
import { describeEachDialect } from '../../src/testing.js';
import { queue } from '../support/queue.js';

describeEachDialect('the clock of a database', (open) => {
  test('is read in milliseconds where it is not the clock of the process', async () => {
    const { database } = await open(queue);
    const read = databaseClock(database);
    if (database.dialect.name === 'sqlite') expect(read).toBeUndefined();
    else {
      const [first = 0, second = 0] = [await read?.(), await read?.()];
      expect(second).toBeGreaterThanOrEqual(first);
      expect(first).toBeGreaterThan(Date.parse('2020-01-01T00:00:00Z'));
    }
  });
});
