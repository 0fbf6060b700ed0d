// Entry of the thread that `sqlite-thread.ts` starts: statements come in, their outcomes go out, in the same order.
import { parentPort, workerData } from 'node:worker_threads';
import { loadSqlite, prepareConnection, sqliteWaitMs } from './sqlite-binding.js';
import { SqliteStatements } from './sqlite-statements.js';
import type { Order, Outcome, ThreadOptions } from './sqlite-thread.js';

const { file, role } = workerData as ThreadOptions;
const Connection = loadSqlite();
// a writer leaves the wait for other processes to `beginWhenFree`
const timeout = role === 'reader' ? sqliteWaitMs : 0;
const connection = new Connection(file, { readonly: role === 'reader', timeout });
prepareConnection(connection);
connection.pragma('foreign_keys = ON');
const statements = new SqliteStatements(connection);

function outcomeOf({ text, values }: Order): Outcome {
  try {
    return { answer: statements.answer(text, values) };
  } catch (error) {
    const { name, message, code } = error as Error & { code?: unknown };
    return { failure: { name, message, code } };
  }
}

parentPort?.on('message', (order: Order) => parentPort?.postMessage(outcomeOf(order)));
