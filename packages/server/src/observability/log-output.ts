/** Writes bytes, and calls back with the error, if any, and the number of bytes that were written. */
export type WriteBytes = (
  bytes: Buffer,
  done: (error: NodeJS.ErrnoException | null | undefined, written: number) => void,
) => void;

interface LogOutputOptions {
  /** Name of the service, in the line that reports lost lines. */
  readonly service: string;
  readonly write: WriteBytes;
}

/** Lines that are being written, after the report of earlier losses if there are some. */
interface Batch {
  readonly bytes: Buffer;
  /** Length of what precedes the lines. */
  readonly headBytes: number;
  /** Lost lines that the head reports. */
  readonly reported: number;
  written: number;
}

// 1 MiB: if the reader or the disk is further behind, lines are dropped
const maxWaitingBytes = 1_048_576;
const maxBatchBytes = 65_536;
const retryMs = 100;

let lostLines = 0;

/** Lines of logs that this process could not write since it started. */
export function countedLostLines(): number {
  return lostLines;
}

/**
 * Destination of log lines that never stops its process: it does not throw, wait or block. Lines that cannot be written
 * (disk full, reader gone), and lines beyond 1 MiB that wait, are dropped and counted. The next lines that can be
 * written are preceded by `log.lines_lost`. At most one write is open, and only new lines start one.
 */
export class LogOutput {
  private readonly service: string;
  private readonly writeBytes: WriteBytes;
  private waiting: string[] = [];
  private waitingLength = 0;
  private open: Batch | undefined;
  private endsInLine = false;
  private lost = 0;
  private lostSince = '';
  private idleCallbacks: (() => void)[] = [];

  constructor({ service, write }: LogOutputOptions) {
    this.service = service;
    this.writeBytes = write;
  }

  /** Takes whole lines, each with its line break. */
  write(lines: string): void {
    if (this.waitingLength + lines.length > maxWaitingBytes) {
      this.noteLost(countLines(lines));
      return;
    }
    this.waiting.push(lines);
    this.waitingLength += lines.length;
    this.writeNext();
  }

  /** Calls back as soon as no lines wait. */
  flush(onIdle: () => void = () => undefined): void {
    this.idleCallbacks.push(onIdle);
    this.writeNext();
  }

  /** Returns what waits and is not being written, for the exit of the process, with the report of losses. */
  takeRest(): Buffer {
    const rest: Buffer[] = [];
    while (this.waiting.length > 0 || this.lost > 0) {
      rest.push(this.takeBatch().bytes);
      this.lost = 0;
      this.endsInLine = false;
    }
    return Buffer.concat(rest);
  }

  private writeNext(): void {
    if (this.open !== undefined) return;
    if (this.waiting.length === 0) {
      for (const onIdle of this.idleCallbacks.splice(0)) onIdle();
      return;
    }
    this.open = this.takeBatch();
    this.send(this.open);
  }

  private takeBatch(): Batch {
    let length = 0;
    let count = 0;
    for (const lines of this.waiting) {
      if (count > 0 && length + lines.length > maxBatchBytes) break;
      length += lines.length;
      count += 1;
    }
    const lines = this.waiting.splice(0, count).join('');
    this.waitingLength -= length;
    const head = `${this.endsInLine ? '\n' : ''}${this.lost > 0 ? this.lossLine() : ''}`;
    const bytes = Buffer.from(head + lines);
    return { bytes, headBytes: Buffer.byteLength(head), reported: this.lost, written: 0 };
  }

  private send(batch: Batch): void {
    this.writeBytes(batch.bytes.subarray(batch.written), (error, written) => {
      this.noteWritten(batch, written);
      if (error?.code === 'EAGAIN' || error?.code === 'EBUSY') {
        // lines that come in the meantime wait, up to the limit
        setTimeout(() => this.send(batch), retryMs).unref();
        return;
      }
      const rest = batch.bytes.subarray(Math.max(batch.written, batch.headBytes));
      if (!error && rest.length > 0) {
        this.send(batch);
        return;
      }
      this.noteLost(countLines(rest));
      this.open = undefined;
      this.writeNext();
    });
  }

  private noteWritten(batch: Batch, written: number): void {
    if (written === 0) return;
    const wasReported = batch.written >= batch.headBytes;
    batch.written += written;
    this.endsInLine = batch.bytes[batch.written - 1] !== lineBreak;
    if (!wasReported && batch.written >= batch.headBytes) this.lost -= batch.reported;
  }

  private noteLost(lines: number): void {
    if (lines === 0) return;
    if (this.lost === 0) this.lostSince = new Date().toISOString();
    this.lost += lines;
    lostLines += lines;
  }

  private lossLine(): string {
    const { service, lost: lines, lostSince: since } = this;
    const time = new Date().toISOString();
    return `${JSON.stringify({ level: 'warn', time, service, lines, since, event: 'log.lines_lost' })}\n`;
  }
}

const lineBreak = 0x0a;

function countLines(lines: string | Buffer): number {
  let count = 0;
  for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) count += 1;
  return count;
}
