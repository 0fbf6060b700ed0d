import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hangMs } from '@certloop/contracts/testing';

const run = promisify(execFile);

/** Whether a program with the arguments ends with the status; one that does not is named on standard error. */
export function hasProgram(
  name: string,
  consequence: string,
  args: readonly string[] = ['--version'],
  status = 0,
): boolean {
  const isThere = spawnSync(name, [...args], { timeout: hangMs }).status === status;
  if (!isThere) process.stderr.write(`SKIPPED: ${name} is not there or not allowed, so ${consequence}\n`);
  return isThere;
}

/** Path of a program of Debian's next release; `scripts/clients-of-today.mjs` puts some there. */
export function programOfToday(name: string): string {
  return fileURLToPath(new URL(`../../../../../run/clients-of-today/usr/bin/${name}`, import.meta.url));
}

/** Returns the output of a program, both streams together. Rejects with it when the program fails. */
export async function say(
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout, stderr } = await run(name, [...args], {
      env: { ...process.env, ...environment },
      timeout: hangMs,
    });
    return `${stdout}${stderr}`;
  } catch (error) {
    const { stdout, stderr, message } = error as Error & {
      readonly stdout?: string;
      readonly stderr?: string;
    };
    throw new Error(`${message}\n${stdout ?? ''}\n${stderr ?? ''}`);
  }
}
