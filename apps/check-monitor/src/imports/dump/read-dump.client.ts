import { createReadStream } from 'node:fs';
import { InvalidInput } from '@certloop/contracts';
import { JSONParser } from '@streamparser/json';
import { dumpCommand } from '../import-run.js';

/**
 * Elements of the JSON array in a file, some at a time, as they are read: the file may be larger than memory. Throws
 * InvalidInput for a file that cannot be read, or that is not one whole JSON array.
 */
export async function* readDump(path: string): AsyncGenerator<readonly unknown[]> {
  let elements: unknown[] = [];
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false });
  parser.onValue = ({ value, key }) => {
    if (typeof key !== 'number') throw new SyntaxError('it is not an array');
    elements.push(value);
  };
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 16 })) {
      parser.write(chunk as Buffer);
      const read = elements;
      elements = [];
      if (read.length > 0) yield read;
    }
    if (!parser.isEnded) throw new SyntaxError('it ends in the middle');
  } catch (error) {
    throw refusalOf(path, error);
  }
}

function refusalOf(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code !== undefined) return new InvalidInput(`${path} cannot be read: ${code}`);
  if (!(error instanceof Error)) return error;
  // the parser quotes what it met, which may be part of a secret
  const reason = error instanceof SyntaxError ? error.message : 'it is not JSON';
  return new InvalidInput(`${path} is not a dump: ${reason}. Write it with: ${dumpCommand}`);
}
