import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a process of its own until it ends. */
export async function runCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<Ran> {
  const script = fileURLToPath(new URL('../../service/cli.js', import.meta.url));
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}
