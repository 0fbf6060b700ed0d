import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { abortAfter } from '@certloop/contracts';
import { inheritedEnvironment } from './config.js';
import { Interrupted } from './faults/command-errors.js';

/** Where output goes; `isTTY` when someone watches it. */
export interface Sink extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined;
  /** Width of the terminal. */
  readonly columns?: number;
  /** Whether its reader is slower than what is written. */
  readonly writableNeedDrain?: boolean;
}

/** Inputs and outputs of a command. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: Sink;
  readonly err: Sink;
  /** Whether standard input is a terminal, from which a command that is run gets Ctrl-C as well. */
  readonly isInputTerminal: boolean;
  /**
   * Returns what is typed after the question without being shown, or the next line of what is piped in. Throws
   * Interrupted.
   */
  askSecret(question: string): Promise<string>;
  /** Returns what is typed after the question; only for terminals. Throws Interrupted. */
  ask(question: string): Promise<string>;
  /** A file as text; `-` is what is piped in. */
  readText(file: string): Promise<string>;
  /** Calls `heard` for each signal that asks the command to end, instead of ending it; returns what stops that. */
  onSignal(heard: (signal: NodeJS.Signals) => void): () => void;
  /** Resolves after so many milliseconds, or as soon as `stop` is aborted. */
  pause(ms: number, stop?: AbortSignal): Promise<void>;
  /** A signal that is aborted after so many milliseconds. */
  deadline(ms: number): AbortSignal;
  /** Calls `tick` each second, which does not hold the process; returns what stops that. */
  everySecond(tick: () => void): () => void;
  /** Called before each step of `pull` that changes files; tests end the process there. */
  readonly atStep?: (step: string) => void;
}

/** The streams, files and signals of this process. */
export function processIo(): Io {
  return {
    env: inheritedEnvironment(),
    out: process.stdout,
    err: process.stderr,
    isInputTerminal: process.stdin.isTTY === true,
    askSecret: process.stdin.isTTY ? typeSecret : pipedLines(),
    ask,
    readText: (file) => (file === '-' ? text(process.stdin) : readFile(file, 'utf8')),
    onSignal,
    pause,
    deadline: abortAfter,
    everySecond: (tick) => {
      const timer = setInterval(tick, 1_000).unref();
      return () => clearInterval(timer);
    },
  };
}

/** A pause of the real clock. */
export async function pause(ms: number, stop?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, stop === undefined ? {} : { signal: stop });
  } catch (error) {
    if (stop?.aborted !== true) throw error;
  }
}

// Windows has only these.
const portable: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];
const signals: readonly NodeJS.Signals[] =
  process.platform === 'win32' ? portable : [...portable, 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];

function onSignal(heard: (signal: NodeJS.Signals) => void): () => void {
  for (const signal of signals) process.on(signal, heard);
  return () => {
    for (const signal of signals) process.off(signal, heard);
  };
}

/** Returns the next line of standard input with each call; '' after the last one. */
function pipedLines(): () => Promise<string> {
  let lines: Promise<string[]> | undefined;
  return async () => {
    lines ??= text(process.stdin).then((all) => all.split(/\r?\n/));
    return (await lines).shift() ?? '';
  };
}

async function typeSecret(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readLine(nowhere, '', () => process.stderr.write(question));
  } finally {
    process.stderr.write('\n');
  }
}

async function ask(question: string): Promise<string> {
  return readLine(process.stderr, question);
}

/** The line that is typed; '' at the end of the input. Throws Interrupted after Ctrl-C. */
async function readLine(
  output: NodeJS.WritableStream,
  question: string,
  /** Called once the terminal shows no more of what is typed. */
  ready: () => void = () => undefined,
): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  ready();
  try {
    return await new Promise<string>((resolve, reject) => {
      const leave = (settle: () => void) => {
        settle();
        // the answer has no end of line
        output.write('\n');
      };
      lines.once('SIGINT', () => {
        // the terminal passes Ctrl-C on as a key while it is read here: commands that listen must hear of it too
        process.emit('SIGINT', 'SIGINT');
        leave(() => reject(new Interrupted('SIGINT')));
      });
      lines.once('close', () => leave(() => resolve('')));
      lines.question(question).then(resolve, reject);
    });
  } finally {
    lines.removeAllListeners('close');
    lines.close();
  }
}
