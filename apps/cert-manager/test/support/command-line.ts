import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line, as it is bundled. */
export const cliFile = fileURLToPath(new URL('../../service/cli.js', import.meta.url));

/** Runs the command line in a process of its own until it ends. */
export async function runCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<Ran> {
  const child = spawn(process.execPath, [cliFile, ...words], {
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
