import { DatabaseUnavailable } from './failures.js';

interface ProbeDeps {
  /** Runs a statement that any database answers. */
  readonly ask: () => Promise<unknown>;
  readonly pending: () => Promise<readonly string[]>;
  /** Why the database cannot be written, as far as that is known after so many milliseconds. */
  readonly writeFault: (patienceMs: number) => Promise<string | undefined>;
  /** Whether a write of this process has failed, and none was proved to succeed since. */
  readonly hasFailedWrite: () => boolean;
}

/** Questions of probers to a database, each of which has an answer within 2 s. */
export interface FaultProbes {
  /** Throws DatabaseUnavailable when the database does not respond. */
  ping(): Promise<void>;
  /**
   * Why the database does not work, in words for anyone; undefined while it does, or as long as nothing is known. It
   * does not answer, or it cannot be written (disk full, read-only, locked): a row is written and deleted, unless the
   * last write succeeded a moment ago.
   */
  findFault(): Promise<string | undefined>;
  /** As `findFault`; pending migrations are a reason too. Those of a later version are none: this one serves until it is replaced. */
  findFaultOrMigration(): Promise<string | undefined>;
  /**
   * Why the database cannot be written, in words for anyone, after a write of this process has failed; undefined while all
   * succeed, which costs no statement.
   */
  confirmWriteFault(): Promise<string | undefined>;
}

export function createFaultProbes({ ask, pending, writeFault, hasFailedWrite }: ProbeDeps): FaultProbes {
  const late = () => unavailable(new Error(`it has been silent for ${answerMs} ms`));
  const ping = shareProbe<void>(() => ask().then(() => undefined, unavailable), late);
  const probePending = shareProbe(pending, late);
  /** Returns what `probe` finds, else why the database cannot be written: both within one deadline. */
  const find = async (probe: () => Promise<string | undefined>): Promise<string | undefined> => {
    const began = performance.now();
    try {
      return (await probe()) ?? (await writeFault(answerMs - (performance.now() - began)));
    } catch {
      return 'the database does not answer';
    }
  };
  return {
    ping,
    findFault: () => find(async () => void (await ping())),
    findFaultOrMigration: () =>
      find(async () =>
        (await probePending()).length > 0 ? 'the database has migrations to run' : undefined,
      ),
    confirmWriteFault: async () => (hasFailedWrite() ? writeFault(answerMs) : undefined),
  };
}

function unavailable(cause: Error): never {
  throw new DatabaseUnavailable(`the database does not answer: ${cause.message}`, { cause });
}

/** After this time a silent database counts as away for those that ask whether it answers, in milliseconds. */
const answerMs = 2000;

/**
 * Returns what `probe` returns, or what `late` returns after `answerMs`. Callers share one probe until it ends, so that
 * many questions to a silent database use one of its connections.
 */
export function shareProbe<T>(probe: () => Promise<T>, late: () => T | Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= probe().finally(() => {
      running = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => Promise.resolve().then(late).then(resolve, reject), answerMs);
    });
    return Promise.race([running, over]).finally(() => clearTimeout(timer));
  };
}
