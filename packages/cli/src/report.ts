import type { Io } from './io.js';
import { facts, type Row, table } from './table.js';

/** How answers are shown: as JSON for programs, or for people. */
export interface Report {
  /** A list: what the service said as JSON, or these rows of it. */
  list<T>(things: readonly T[], rowOf: (thing: T) => Row): void;
  /** One thing. */
  thing<T>(thing: T, rowOf: (thing: T) => Row): void;
  /** That something was done; as JSON, what it was done to. */
  done(sentence: string, thing: unknown): void;
  /** What people should know beside the answer, on standard error; nothing as JSON. */
  warn(sentence: string): void;
}

export function createReport({ out, err }: Io, isJson: boolean): Report {
  const asJson = (value: unknown) => void out.write(`${JSON.stringify(value, null, 2)}\n`);
  if (isJson)
    return { list: asJson, thing: asJson, done: (_sentence, thing) => asJson(thing), warn: () => undefined };
  return {
    list: (things, rowOf) => void out.write(things.length === 0 ? 'none\n' : table(things.map(rowOf))),
    thing: (thing, rowOf) => void out.write(facts(rowOf(thing))),
    done: (sentence) => void out.write(`${sentence}\n`),
    warn: (sentence) => void err.write(`certloop: ${sentence}\n`),
  };
}

/** Shows the progress of long work on standard error: one line that changes, if it is a terminal. */
export interface Progress {
  step(doing: string): void;
  end(): void;
}

export function createProgress({ err }: Io, total: number): Progress {
  let count = 0;
  if (err.isTTY !== true || total < 2) return { step: () => undefined, end: () => undefined };
  return {
    step: (doing) => {
      count += 1;
      err.write(`\r\u001b[K${count}/${total} ${doing.slice(0, 60)}`);
    },
    end: () => void err.write('\r\u001b[K'),
  };
}
