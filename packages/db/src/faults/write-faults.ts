import { driverCode } from './failures.js';

const words: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL|^53100$/, 'its disk is full'],
  [/^SQLITE_READONLY|^25006$/, 'it is read-only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'another process has locked it'],
  [/^SQLITE_IOERR|^58/, 'its disk fails'],
];

/** Why a write failed, in words for anyone: they name neither the database nor its host. */
export function describeWriteFault(error: unknown): string {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const code = driverCode(each);
    const found = words.find(([codes]) => code !== undefined && codes.test(code));
    if (found !== undefined) return `the database cannot be written: ${found[1]}`;
  }
  return 'the database cannot be written';
}

/** Whether the words of a fault are about a disk that is full, or fails, as a full disk looks below shared memory. */
export function isDiskFault(fault: string): boolean {
  return /: its disk (is full|fails)$/.test(fault);
}

/** A write that succeeded so recently shows that others do. */
const recentMs = 1000;

/** Whether a database can be written, as shown by the writes of the service and, if there are none, by one of our own. */
export class WriteFaults {
  private readonly tryToWrite: () => Promise<unknown>;
  private succeededAt = Number.NEGATIVE_INFINITY;
  private fault: string | undefined;
  private attempt: Promise<void> | undefined;

  constructor(tryToWrite: () => Promise<unknown>) {
    this.tryToWrite = tryToWrite;
  }

  noteSuccess(): void {
    this.succeededAt = performance.now();
  }

  noteFailure(error: unknown): void {
    this.fault = describeWriteFault(error);
  }

  /** Whether a write has failed, and no attempt has succeeded since. */
  hasFailed(): boolean {
    return this.fault !== undefined;
  }

  /**
   * Why the database cannot be written now; undefined while it can. Callers at once share one write. Where it takes
   * longer than `patienceMs`, such as behind a long transaction, the fault of the last write that ended is returned, and
   * the write goes on.
   */
  async current(patienceMs: number): Promise<string | undefined> {
    if (this.fault === undefined && performance.now() - this.succeededAt < recentMs) return undefined;
    this.attempt ??= this.prove();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patienceMs);
    });
    await Promise.race([this.attempt, late]);
    clearTimeout(timer);
    return this.fault;
  }

  private async prove(): Promise<void> {
    try {
      await this.tryToWrite();
      // not after any other success: a small write may find room where others do not
      this.fault = undefined;
      this.noteSuccess();
    } catch (error) {
      this.noteFailure(error);
    } finally {
      this.attempt = undefined;
    }
  }
}
