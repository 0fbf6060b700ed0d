import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { credentialsFile } from '../../src/credentials.js';
import { type Stack, startStack } from '../../src/stack.js';
import { runCertloop } from '../support/certloop.js';
import { openTerminal } from '../support/terminal.js';

const program = createRequire(import.meta.url).resolve('@certloop/cli/bin/certloop.js');
const hasTerminal = hasProgram('script', 'no prompt is answered in a terminal', ['--version']);
const describeTerminal = hasTerminal ? describe : describe.skip;

let folder: string;
let stack: Stack;
let config: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-prompts-'));
  stack = await startStack({
    dataDir: join(folder, 'data'),
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: inheritedEnvironment(),
  });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  config = await mkdtemp(join(folder, 'config-'));
});

const stored = () => readFile(join(config, 'certloop', 'login.json'), 'utf8').catch(() => undefined);

/** The names of the tokens that log-ins created and that are valid. */
async function tokensOfLogins(): Promise<string[]> {
  const env = { CERTLOOP_CREDENTIALS: credentialsFile(stack.dataDir) };
  const input = `${stack.credentials.certManager.password}\n`;
  const { out, code } = await runCertloop(['tokens', 'list', '--json'], { env, input });
  expect(code).toBe(0);
  const names: string[] = JSON.parse(out).map(({ name }: { name: string }) => name);
  return names.filter((name) => /^certloop \d/.test(name));
}

const toManager = () => {
  const { url, username } = stack.credentials.certManager;
  return ['login', '--url', url, '--username', username];
};
const toMonitor = () => {
  const { url, email = '' } = stack.credentials.checkMonitor;
  return ['--monitor-url', url, '--email', email, '--project', 'CertLoop'];
};

describe('a log-in that fails', () => {
  test('leaves no token if the second service does not answer', async () => {
    const { password } = stack.credentials.certManager;
    const args = [...toManager(), '--monitor-url', 'http://127.0.0.1:1', '--email', 'anna@example.org'];
    const failed = await runCertloop(args, {
      env: { XDG_CONFIG_HOME: config },
      input: `${password}\nsecond password\n`,
    });
    expect(failed).toMatchObject({
      code: 1,
      err: expect.stringMatching(/check-monitor at .* does not answer/),
    });
    expect(await tokensOfLogins()).toEqual([]);
    expect(await stored()).toBeUndefined();
  });

  test('leaves no token and no file if nothing can be written', async () => {
    const { password } = stack.credentials.certManager;
    const words = [process.execPath, program, ...toManager()].map((word) => `'${word}'`).join(' ');
    // the system refuses each write to a file, as on a full disk
    const running = promisify(execFile)('bash', ['-c', `ulimit -f 0; exec ${words}`], {
      env: { XDG_CONFIG_HOME: config },
    });
    running.child.stdin?.end(`${password}\n`);
    await expect(running).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/the log-in cannot be stored: .*; set XDG_CONFIG_HOME to/),
    });
    expect(await tokensOfLogins()).toEqual([]);
    expect(await readdir(join(config, 'certloop'))).toEqual([]);
  });
});

describeTerminal('a prompt in a terminal', () => {
  /** Runs certloop, then shows its exit code and the settings of the terminal. */
  function open(args: readonly string[]) {
    const words = args.map((word) => `'${word}'`).join(' ');
    const command = `'${program}' ${words}; echo "code $?"; stty -a`;
    return openTerminal(command, {
      PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
      XDG_CONFIG_HOME: config,
    });
  }

  /** Code and terminal as the command left them. */
  const left = (code: number) => new RegExp(String.raw`code ${code}\r\n[^]* icanon [^]* echo `);

  test('takes passwords without showing them', async () => {
    const { certManager, checkMonitor } = stack.credentials;
    const terminal = open([...toManager(), ...toMonitor(), '--yes']);
    await terminal.shows('Password of admin at ');
    terminal.type(`${certManager.password}x\x7f\r`);
    await terminal.shows('Password of stack@localhost.test at ');
    terminal.type(`${checkMonitor.password}\r`);
    const shown = await terminal.end();
    expect(shown).toMatch(left(0));
    expect(shown).toContain('logged in to ');
    expect(shown).not.toContain(certManager.password);
    expect(shown).not.toContain(checkMonitor.password);
    expect(await stored()).toContain('"tokenId"');
    const ended = await runCertloop(['logout'], { env: { XDG_CONFIG_HOME: config } });
    expect(ended.out).toMatch(/^revoked the token at \S+; revoked the key of CertLoop at \S+\n$/);
    expect(await tokensOfLogins()).toEqual([]);
  });

  test('exits with 130 on Ctrl-C, and deletes what the log-in created before', async () => {
    const terminal = open([...toManager(), ...toMonitor()]);
    await terminal.shows('Password of admin at ');
    terminal.type(`${stack.credentials.certManager.password}\r`);
    await terminal.shows('Password of stack@localhost.test at ');
    expect(await tokensOfLogins()).toHaveLength(1);
    terminal.type('half\x03');
    const shown = await terminal.end();
    expect(shown).toMatch(left(130));
    expect(shown).toContain('certloop: interrupted\r\n');
    expect(await tokensOfLogins()).toEqual([]);
    expect(await stored()).toBeUndefined();
  });

  test('ends on Ctrl-D, and prints what to do', async () => {
    const terminal = open(toManager());
    await terminal.shows('Password of admin at ');
    terminal.type('\x04');
    const shown = await terminal.end();
    expect(shown).toMatch(left(2));
    expect(shown).toMatch(
      /the password of admin is empty: type it, or pipe it in, or name a file with --password-file/,
    );
  });

  test('deletes nothing until the answer is yes', async () => {
    const env = { XDG_CONFIG_HOME: config };
    expect(await runCertloop(['contexts', 'create', 'work'], { env })).toMatchObject({ code: 0 });
    for (const [keys, code, sentence] of [
      ['\x03', 130, 'interrupted'],
      ['\x04', 2, 'nothing was changed'],
      ['no\r', 2, 'nothing was changed'],
      ['yes\r', 0, 'context work is deleted'],
    ] as const) {
      expect(await stored()).toContain('"work": {');
      const terminal = open(['contexts', 'delete', 'work']);
      await terminal.shows('Go on? [y/N] ');
      terminal.type(keys);
      const shown = await terminal.end();
      expect(shown).toMatch(left(code));
      expect(shown).toMatch(new RegExp(String.raw`\r\n(certloop: )?${sentence}\r\n`));
    }
    expect(await stored()).toContain('"contexts": {}');
  });
});
