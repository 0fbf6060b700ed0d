import { expect, test } from 'vitest';
import { type Activity, idleSince, type Traces } from './postgres-silence.js';

const row = { pid: 7, state: 'active', session: '100.5', transaction: '200.5', changed_at: '300.5' };
const ofSession: Traces = { pid: 7, startedAt: '100.5', of: 'session' };
const ofTransaction: Traces = { pid: 7, startedAt: '200.5', of: 'transaction' };

test.each<[string, Traces | undefined, readonly Partial<Activity>[], string | undefined]>([
  ['works in this session', ofSession, [{}], undefined],
  ['works in this transaction', ofTransaction, [{}], undefined],
  ['waits for statements', ofSession, [{ state: 'idle' }], '300.5'],
  ['waits in the transaction', ofTransaction, [{ state: 'idle in transaction' }], '300.5'],
  ['waits after an error', ofSession, [{ state: 'idle in transaction (aborted)' }], '300.5'],
  ['does not record what it does', ofSession, [{ state: 'disabled' }], undefined],
  ['shows nothing to this role', ofSession, [{ state: null, changed_at: null }], undefined],
  ['has no such session', ofSession, [], 'gone'],
  ['gave the number to another session', ofSession, [{ session: '101.5' }], 'gone'],
  ['ended the transaction', ofTransaction, [{ transaction: null, state: 'idle' }], 'gone'],
  ['runs the next transaction of another client', ofTransaction, [{ transaction: '201.5' }], 'gone'],
  ['cannot be asked about the connection', undefined, [], undefined],
])('returns since when a server is idle that %s', (_, traces, rows, expected) => {
  expect(
    idleSince(
      traces,
      rows.map((one) => ({ ...row, ...one })),
    ),
  ).toBe(expected);
});
