import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { platform } from 'node:process';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { explainCode } from '../faults/system-fault.js';
import type { Io, Sink } from '../io.js';

// The monitor stores 10,000 bytes of a body by default.
const bodyBytes = 10_000;

// How long the output is read after the end of the command, since its own children may hold the pipes open forever.
const drainMs = 1_000;

export interface Execution {
  /** As a shell reports it: 127 for a missing command, 126 for one that cannot run, 128 + the number of a signal. */
  readonly code: number;
  /** The last 10,000 bytes of both outputs. */
  readonly output: string;
}

/**
 * Runs a command until it ends, whatever its own children do. Its output passes through byte by byte. Signals are
 * handed on: without a terminal to its process group, with one to the command alone, which gets Ctrl-C from there.
 */
export async function execute(
  io: Io,
  [file = '', ...args]: readonly string[],
  env: Io['env'],
): Promise<Execution> {
  const tail = createTail(bodyBytes);
  const ownGroup = !io.isInputTerminal && platform !== 'win32';
  const child = spawn(file, args, { stdio: ['inherit', 'pipe', 'pipe'], detached: ownGroup, env });
  const release = io.onSignal((signal) => {
    const isFromTerminal = !ownGroup && (signal === 'SIGINT' || signal === 'SIGQUIT');
    if (!isFromTerminal) signalTo(child.pid, signal, ownGroup);
  });
  const outputs = [
    { stream: child.stdout, sink: io.out },
    { stream: child.stderr, sink: io.err },
  ];
  for (const { stream, sink } of outputs) {
    stream.on('data', tail.add);
    stream.pipe(sink, { end: false });
    // If the reader of our output has left, the command gets the broken pipe, as without us.
    sink.once('error', () => stream.destroy());
  }
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    await drain(io, outputs);
    return { code: code ?? (signal === null ? 1 : 128 + constants.signals[signal]), output: tail.text() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const output = `${file} cannot be run: ${whyNot(code) ?? message}\n`;
    io.err.write(`certloop: ${output}`);
    return { code: code === 'ENOENT' ? 127 : 126, output };
  } finally {
    release();
  }
}

function signalTo(pid: number | undefined, signal: NodeJS.Signals, isGroup: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isGroup ? -pid : pid, signal);
  } catch {
    // it has ended in the meantime
  }
}

interface Output {
  readonly stream: Readable;
  readonly sink: Sink;
}

/** Reads on until both outputs end, or for a second; longer only while the reader of our own output is slow. */
async function drain(io: Io, outputs: readonly Output[]): Promise<void> {
  const ended = new AbortController();
  const closed = Promise.allSettled(outputs.map(({ stream }) => finished(stream))).then(() => ended.abort());
  do {
    await Promise.race([closed, io.pause(drainMs, ended.signal)]);
  } while (!ended.signal.aborted && outputs.some(({ sink }) => sink.writableNeedDrain === true));
  for (const { stream } of outputs) stream.destroy();
  await closed;
}

/** Returns what a code of the system means for a command that was to be run. */
function whyNot(code: string | undefined): string | undefined {
  if (code === 'ENOENT') return 'there is no such command; check its path, or PATH';
  if (code === 'EACCES') return 'it is not executable; check its permissions';
  return code === undefined ? undefined : explainCode(code);
}

/** Keeps the end of what was written. */
interface Tail {
  add(bytes: Uint8Array): void;
  /** At most so many bytes of UTF-8, beginning with a whole character; bytes that are none stand as U+FFFD. */
  text(): string;
}

export function createTail(size: number): Tail {
  let last = Buffer.alloc(0);
  return {
    add: (bytes) => {
      last = Buffer.concat([last, bytes]).subarray(-size);
    },
    text: () => {
      const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
      let from = 0;
      while (isContinuation(last[from])) from += 1;
      return last.toString('utf8', from);
    },
  };
}
