import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Io } from '../io.js';
import { createTail } from '../jobs/execute.js';
import { withoutSecrets } from '../jobs/run-watched.js';
import type { Hook } from './hook-words.js';

const limitMs = 60_000;
const outputBytes = 4_096;
// between the request to end and the end, and for output after the end
const graceMs = 1_000;

export interface HookEnd {
  readonly succeeded: boolean;
  /** Sentence about the end, such as `exit code 1`. */
  readonly ended: string;
  /** The last 4 KiB of both outputs. */
  readonly output: string;
}

/** Runs a hook without a shell and without the credentials of certloop, for 60 s at most. Never rejects. */
export async function runHook(
  { env, deadline }: Pick<Io, 'env' | 'deadline'>,
  [program = '', ...args]: Hook,
  facts: Readonly<Record<string, string>>,
): Promise<HookEnd> {
  const tail = createTail(outputBytes);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // a group of its own, so that all of it can be ended
    detached: process.platform !== 'win32',
    env: { ...withoutSecrets(env), ...facts },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', tail.add);
  const limit = deadline(limitMs);
  const end = () => void endGroup(child);
  limit.addEventListener('abort', end, { once: true });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    await drained(child);
    const ended = limit.aborted ? `no end within ${limitMs / 1000} s` : describeEnd(code, signal);
    return { succeeded: code === 0 && !limit.aborted, ended, output: tail.text() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const ended = code === 'ENOENT' ? `there is no program ${program}` : message;
    return { succeeded: false, ended, output: tail.text() };
  } finally {
    limit.removeEventListener('abort', end);
  }
}

function describeEnd(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? `signal ${signal}` : `exit code ${code}`;
}

/** Waits for the rest of the output; a server that the hook has started may hold the pipes open. */
async function drained(child: ChildProcess): Promise<void> {
  const stop = new AbortController();
  const closed = once(child, 'close').then(() => stop.abort());
  await Promise.race([
    closed,
    setTimeout(graceMs, undefined, { signal: stop.signal }).catch(() => undefined),
  ]);
  child.stdout?.destroy();
  child.stderr?.destroy();
}

async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(process.platform === 'win32' ? pid : -pid, signal);
    } catch {
      // it has ended in the meantime
    }
  };
  send('SIGTERM');
  await setTimeout(graceMs);
  send('SIGKILL');
}
