import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { LogOutput } from '@certloop/server';

export interface RotatingLogOptions {
  /** Name of the service, in the line that reports lost lines. */
  readonly service: string;
  /** The newest lines; older ones are in files of this name with `.1`, `.2` and so on. */
  readonly file: string;
  /** Bytes of one file; 10 MB when absent. */
  readonly maxBytes?: number;
}

const maxFiles = 5;

/**
 * Writes the lines of a stream to at most five files of 10 MB. Resolves when the stream has ended and all is written. Lines
 * that cannot be written are dropped and reported, so the writer of the stream never waits for the disk.
 */
export async function writeRotatingLog(lines: Readable, options: RotatingLogOptions): Promise<void> {
  const file = createRotatingFile(options);
  const output = new LogOutput({
    service: options.service,
    write: (bytes, done) =>
      void file.append(bytes).then(
        (written) => done(undefined, written),
        (error: NodeJS.ErrnoException) => done(error, 0),
      ),
  });
  let beginning = '';
  lines.setEncoding('utf8').on('data', (text: string) => {
    const all = beginning + text;
    const end = all.lastIndexOf('\n') + 1;
    beginning = all.slice(end);
    if (end > 0) output.write(all.slice(0, end));
  });
  await new Promise((resolve) => lines.once('close', resolve));
  if (beginning !== '') output.write(`${beginning}\n`);
  await new Promise<void>((resolve) => output.flush(resolve));
  await file.close();
}

/** A file that is opened by its first bytes, and again after a failure. */
function createRotatingFile({ file, maxBytes = 10_000_000 }: RotatingLogOptions) {
  let handle: FileHandle | undefined;
  let size = 0;
  const openFile = async () => {
    const opened = await open(file, 'a', 0o600);
    handle = opened;
    const stats = await opened.stat();
    // a device such as /dev/null is not rotated
    size = stats.isFile() ? stats.size : Number.NEGATIVE_INFINITY;
    return opened;
  };
  const close = async () => {
    const opened = handle;
    handle = undefined;
    await opened?.close();
  };
  return {
    /** Returns the number of bytes that were written. */
    append: async (bytes: Buffer): Promise<number> => {
      let opened = handle ?? (await openFile());
      if (size > 0 && size + bytes.length > maxBytes) {
        await close();
        await renameFiles(file);
        opened = await openFile();
      }
      const { bytesWritten } = await opened.write(bytes);
      size += bytesWritten;
      return bytesWritten;
    },
    close,
  };
}

/** Makes room for a new file: the oldest one is replaced. */
async function renameFiles(file: string): Promise<void> {
  for (let number = maxFiles - 1; number >= 1; number -= 1) {
    const from = number === 1 ? file : `${file}.${number - 1}`;
    await rename(from, `${file}.${number}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
