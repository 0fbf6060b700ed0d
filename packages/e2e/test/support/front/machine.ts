import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { hangMs } from '@certloop/contracts/testing';
import { hasProgram } from '@certloop/server/testing';

/** Whether this process may give programs a view of the file system of their own. */
export const canMount = hasProgram('unshare', 'no ACME client runs as on a machine of its own', [
  '-m',
  '--propagation',
  'private',
  'true',
]);

/** Programs of Debian's next release. */
export const today = fileURLToPath(new URL('../../../../../../run/clients-of-today/', import.meta.url));

/** Words that run HAProxy of Debian's next release, with the libraries of that release. */
export const haproxyOfToday: readonly [string, ...string[]] = [
  join(today, 'usr/lib64/ld-linux-x86-64.so.2'),
  '--library-path',
  join(today, 'usr/lib/x86_64-linux-gnu'),
  join(today, 'usr/sbin/haproxy'),
];

/**
 * The machine of an ACME client: its programs see `/etc`, `/var`, `/run` and the like as folders of their own, so that
 * commands run as they stand, as root, and change nothing here.
 */
export interface ClientMachine {
  /** Returns what bash writes while it runs the lines; rejects with it when one of them fails. */
  run(lines: string, environment?: Readonly<Record<string, string>>): Promise<string>;
  /** Starts a program that goes on; `stop` of the machine ends it. */
  start(line: string): ChildProcess;
  /** Path by which this process sees a file of the machine. */
  at(path: string): string;
  stop(): Promise<void>;
}

const empty = ['/var/lib', '/var/log', '/var/www', '/run', '/root', '/usr/local/share/ca-certificates'];
const inside = [
  '/var/www/html',
  '/run/apache2',
  '/run/lock',
  '/var/log/apache2',
  '/var/lib/nginx',
  '/var/log/nginx',
];

/** Starts a machine; with `programs`, those of this folder are found first. */
export async function startMachine(programs = ''): Promise<ClientMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-machine-'));
  const mounts = empty.map((path, index) => {
    const place = join(folder, String(index));
    mkdirSync(place);
    return `mount --bind ${place} ${path}`;
  });
  const lines = [
    `cp -a /etc ${folder}/etc`,
    `mount --bind ${folder}/etc /etc`,
    ...mounts,
    `mkdir -p ${inside.join(' ')}`,
    'echo ready',
    'exec cat',
  ];
  const holder = spawn('unshare', ['-m', '--propagation', 'private', 'sh', '-ec', lines.join('\n')]);
  await once(holder.stdout, 'data');
  const started: ChildProcess[] = [];
  const enter = (line: string, environment: Readonly<Record<string, string>> = {}) =>
    spawn('nsenter', ['-t', String(holder.pid), '-m', 'bash', '-euo', 'pipefail', '-c', line], {
      cwd: '/',
      env: {
        PATH: [programs, '/usr/sbin', '/usr/bin', '/sbin', '/bin']
          .filter((each) => each !== '')
          .join(delimiter),
        HOME: '/root',
        LANG: 'C.UTF-8',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: hangMs,
    });
  return {
    run: async (line, environment) => {
      const child = enter(line, environment);
      const [out, err, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      if (code !== 0) throw new Error(`${line}\nended with ${code}:\n${out}${err}`);
      return `${out}${err}`;
    },
    start: (line) => {
      const child = enter(`exec ${line}`);
      started.push(child);
      for (const stream of [child.stdout, child.stderr]) stream.resume();
      return child;
    },
    at: (path) => `/proc/${holder.pid}/root${path}`,
    stop: async () => {
      for (const child of started) {
        if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'close');
      }
      holder.stdin.end();
      await once(holder, 'close');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A folder of certloop, and of programs that run those of Debian's next release, wherever these expect their files. */
export function programsOfToday(): string {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-programs-'));
  const { resolve } = createRequire(import.meta.url);
  const scripts = {
    certloop: `exec ${process.execPath} ${resolve('@certloop/cli/bin/certloop.js')} "$@"`,
    // there is no systemd that it could ask
    systemctl: ':',
    ...(existsSync(`${today}usr/bin/lego`) && { lego: `exec ${today}usr/bin/lego "$@"` }),
    caddy: `exec ${today}usr/bin/caddy "$@"`,
    haproxy: `exec ${haproxyOfToday.join(' ')} "$@"`,
    'acme.sh': `export ACME_PACKAGED=1\nexec sh ${today}usr/share/acme.sh/acme.sh "$@"`,
  };
  for (const [name, line] of Object.entries(scripts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return folder;
}
