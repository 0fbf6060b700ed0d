import { Worker } from 'node:worker_threads';
import { type Answer, type Statements, TransactionOver } from './sqlite-statements.js';

/** The database that a thread opens. */
export interface ThreadOptions {
  readonly file: string;
  readonly role: 'reader' | 'writer';
}

/** A statement for a thread. */
export interface Order {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Result of a statement. */
export type Outcome =
  | { readonly answer: Answer }
  | { readonly failure: { readonly name: string; readonly message: string; readonly code: unknown } };

interface WaitingStatement {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** An error of the driver in another thread; a plain transfer would lose its class and code. */
class DriverFailure extends Error {
  readonly code: unknown;

  constructor(name: string, message: string, code: unknown) {
    super(message);
    this.name = name;
    this.code = code;
  }
}

/**
 * A connection to a SQLite file on a separate thread, so that a statement may take seconds without blocking the
 * process. The thread starts with the first transaction. If it ends, its transaction and statements fail; the next
 * transaction starts another one.
 */
export class SqliteThread implements Statements {
  private readonly options: ThreadOptions;
  private readonly waiting: WaitingStatement[] = [];
  private worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.options = options;
  }

  answer(text: string, values: readonly unknown[]): Promise<Answer> {
    // no other statement may start a thread: it would run outside of its transaction
    if (this.worker === undefined && text.startsWith('BEGIN')) this.worker = this.start();
    const { worker } = this;
    if (worker === undefined) return Promise.reject(new Error('the thread of the transaction has ended'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      worker.ref();
      worker.postMessage({ text, values } satisfies Order);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const worker = new Worker(new URL('./sqlite-thread-entry.js', import.meta.url), {
      workerData: this.options,
    });
    worker.unref();
    // the thread works in order, so each result belongs to the oldest waiting statement
    worker.on('message', (outcome: Outcome) => {
      const waiting = this.waiting.shift();
      if (this.waiting.length === 0) worker.unref();
      if ('answer' in outcome) waiting?.resolve(withBuffers(outcome.answer));
      else waiting?.reject(errorOf(outcome.failure));
    });
    let reason = 'it was closed';
    worker.on('error', (error) => {
      reason = error.message;
    });
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waiting.splice(0)) {
        reject(new Error(`the thread of the database has ended: ${reason}`));
      }
    });
    return worker;
  }
}

function errorOf({ name, message, code }: { name: string; message: string; code: unknown }): Error {
  return name === 'TransactionOver' ? new TransactionOver(message) : new DriverFailure(name, message, code);
}

/** Converts byte arrays, as threads transfer them, back to buffers, as the driver returns them. */
function withBuffers(answer: Answer): Answer {
  for (const record of answer.records) {
    for (const name in record) {
      const value = record[name];
      if (value instanceof Uint8Array) {
        record[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      }
    }
  }
  return answer;
}
