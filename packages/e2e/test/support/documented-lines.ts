import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { runCertloop } from './certloop.js';
import { wordsOf } from './walk-page.js';

export interface LineRunner {
  /** Runs a line in the current folder; fails the test with what the line wrote unless its exit code is 0. */
  readonly run: (line: string, call?: LineCall) => Promise<void>;
  /** Variables of the lines that follow, as after export. */
  readonly env: Record<string, string>;
}

interface LineCall {
  /** Standard input of a line of certloop. */
  readonly input?: string;
  /** Variables of this line alone; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Whether a line of certloop is a process too, whose start counts where seconds are measured. */
  readonly isProcess?: boolean;
}

/**
 * Runs lines of the docs. bash runs them, with certloop in PATH; a line of certloop alone runs in this process, since a
 * process for each would take most of the time of the test. `folder` is where certloop is put and has its contexts.
 */
export async function createLineRunner(folder: string): Promise<LineRunner> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const { resolve } = createRequire(import.meta.url);
  await symlink(resolve('@certloop/cli/bin/certloop.js'), join(bin, 'certloop'));
  const { PATH: searched = '' } = inheritedEnvironment();
  if (!searched.split(delimiter).some((place) => existsSync(join(place, 'sqlite3')))) {
    process.stderr.write('sqlite3 is not installed: a script on the same library stands for it\n');
    const script = `require(${JSON.stringify(resolve('better-sqlite3'))})(process.argv[2]).exec(process.argv[3])`;
    await writeFile(join(bin, 'sqlite3'), `#!${process.execPath}\n${script}\n`, { mode: 0o755 });
  }
  const env: Record<string, string> = { XDG_CONFIG_HOME: join(folder, 'config') };
  const run = async (line: string, { input = '', env: more = {}, isProcess = false }: LineCall = {}) => {
    const entries = Object.entries({ ...env, ...more }).filter(([, value]) => value !== undefined);
    const given = Object.fromEntries(entries) as Record<string, string>;
    const exported = /^export (.+)$/.exec(line)?.[1];
    if (exported !== undefined) {
      for (const [, name = '', value = ''] of exported.matchAll(/(\w+)=(\S+)/g))
        env[name] = value.replace('$PWD', process.cwd());
    } else if (isCertloopAlone(line) && !isProcess) {
      const { code, err } = await runCertloop((await expandedWords(line)).slice(1), { env: given, input });
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    } else {
      const PATH = `${bin}${delimiter}${searched}`;
      const child = spawn('bash', ['-euc', line], {
        env: { ...given, PATH },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'close'), text(child.stdout)]);
      expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    }
  };
  return { run, env };
}

/** admin starts a process, which needs streams of its own. */
function isCertloopAlone(line: string): boolean {
  return line.startsWith('certloop ') && !line.startsWith('certloop admin ') && !line.includes(' < ');
}

/** The words of a command line, with files in place of *.csr. */
async function expandedWords(line: string): Promise<string[]> {
  const expanded = wordsOf(line).map(async (word) => {
    const [, place = '.', ending] = /^(?:(.*)\/)?\*(\.\w+)$/.exec(word) ?? [];
    if (ending === undefined) return [word];
    const files = (await readdir(place)).filter((file) => file.endsWith(ending));
    return files.map((file) => join(place, file));
  });
  return (await Promise.all(expanded)).flat();
}
