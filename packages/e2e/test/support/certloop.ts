import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { run } from '@certloop/cli/dist/src/run.js';

/** What a command said, and its exit code. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Call {
  readonly env: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
  /** What is typed when the command asks, on a terminal. */
  readonly answer?: string;
  /** Width of the terminal that it writes to; a pipe when absent. */
  readonly columns?: number;
}

/** The command `certloop` in this process, since a process for each call would take most of the time of a test. */
export async function runCertloop(
  args: readonly string[],
  { env, input = '', answer, columns }: Call,
): Promise<Said> {
  const lines = input.split(/\r?\n/);
  const [out, err] = [createCollector(), createCollector()];
  const code = await run(args, {
    env,
    out: Object.assign(out.sink, columns === undefined ? {} : { isTTY: true, columns }),
    err: Object.assign(err.sink, { isTTY: answer !== undefined }),
    isInputTerminal: answer !== undefined,
    askSecret: async () => lines.shift() ?? '',
    ask: async (question) => {
      err.sink.write(question);
      return answer ?? '';
    },
    readText: async (file) => (file === '-' ? input : readFile(file, 'utf8')),
    onSignal: () => () => undefined,
    pause: async () => undefined,
    // a slow machine must not end what a test waits for
    deadline: () => new AbortController().signal,
    everySecond: () => () => undefined,
  });
  return { code, out: out.text(), err: err.text() };
}

/** A sink, and what was written to it. */
function createCollector() {
  let text = '';
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  return { sink, text: () => text };
}
