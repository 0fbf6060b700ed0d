import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const program = createRequire(import.meta.url).resolve('@certloop/cli/bin/certloop.js');
const inShell = (name: string) =>
  hasProgram(name, `no completion is typed in ${name}`, ['-c', ':']) ? test : test.skip;
const hasTerminal = hasProgram('script', 'no completion is typed in a terminal', ['--version']);
const inTerminal = (name: string) => (hasTerminal ? inShell(name) : test.skip);

let folder: string;
let server: Server;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-completion-'));
  const spaces = ['Shop', 'Online shop', "Anna's", 'db: one', '50% $HOME'].map((name, index) => ({
    id: `00000000-0000-4000-8000-00000000000${index}`,
    name,
    description: '',
    createdAt: '2026-01-02T03:04:05.000Z',
  }));
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(spaces));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const command = join(folder, 'certloop');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  env = {
    PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`,
    HOME: folder,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    CERTLOOP_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CERTLOOP_TOKEN: 'clt_known',
  };
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

/** What an interactive shell makes of each line of keys; `setup` binds Ctrl-G to write the line to `$LINES_FILE`. */
async function typed(shell: string, setup: string, lines: readonly string[]): Promise<string[]> {
  const file = join(folder, `${shell.split(' ', 1)[0]}-lines`);
  const child = spawn('script', ['-qec', shell, '/dev/null'], { env: { ...env, LINES_FILE: file } });
  child.stdin.end(`${setup}\n${lines.map((line) => `${line}\x07`).join('')}exit\n`);
  const seen = await text(child.stdout);
  const written = await readFile(file, 'utf8').catch(() => seen);
  return written.split('\n').slice(0, -1);
}

inTerminal('bash')('bash completes commands, options and names, quoted as they are typed', async () => {
  const setup = `source <(certloop completion bash); bind -x '"\\C-g": printf "%s\\n" "$READLINE_LINE" >> $LINES_FILE; READLINE_LINE='`;
  const lines = [
    'certloop spa\t',
    'certloop spaces get On\t',
    'certloop spaces get "50\t',
    'certloop spaces get db:\\ \t',
    `certloop check-files --cert ${folder}/certl\t`,
  ];
  expect(await typed('bash --norc --noprofile -i', setup, lines)).toEqual([
    'certloop spaces ',
    String.raw`certloop spaces get Online\ shop `,
    'certloop spaces get "50% \\$HOME" ',
    String.raw`certloop spaces get db:\ one `,
    `certloop check-files --cert ${folder}/certloop `,
  ]);
});

inTerminal('zsh')('zsh completes commands and names, quoted as they are typed', async () => {
  const setup =
    'PS1=; source <(certloop completion zsh); show() { print -r -- "$BUFFER" >> $LINES_FILE; BUFFER= }; ' +
    "zle -N show; bindkey '^G' show";
  const lines = [
    'certloop spa\t',
    'certloop spaces get On\t',
    "certloop spaces get 'On\t",
    "certloop fqdns --space='Online s\t",
    'certloop fqdns --space="50\t',
    `certloop check-files --cert ${folder}/certl\t`,
  ];
  expect(await typed('zsh -f -i', setup, lines)).toEqual([
    'certloop spaces ',
    String.raw`certloop spaces get Online\ shop `,
    "certloop spaces get 'Online shop' ",
    String.raw`certloop fqdns --space=Online\ shop `,
    String.raw`certloop fqdns --space=50%\ \$HOME `,
    `certloop check-files --cert ${folder}/certloop `,
  ]);
});

inShell('fish')('fish completes commands with what they do, names and files', async () => {
  const lines = [
    'certloop flip',
    "certloop spaces get 'On",
    'certloop fqdns --space=An',
    `certloop check-files --cert ${folder}/certl`,
  ];
  const ask = 'certloop completion fish | source; for line in $argv; complete -C $line; end';
  const child = spawn('fish', ['-N', '-c', ask, '--', ...lines], { env });
  child.stdin.end();
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ out, err }).toEqual({
    out: `flips\tChanges of status of a check\nOnline shop\n--space=Anna's\n${folder}/certloop\n`,
    err: '',
  });
});
