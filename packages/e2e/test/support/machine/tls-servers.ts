import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { freePort, until } from '@certloop/contracts/testing';

/** A TLS server of Debian with a configuration folder of its own. */
export interface RealServer {
  readonly port: number;
  /** Options of `certloop pull` that test and reload it. */
  readonly hooks: readonly string[];
  /** Makes its configuration wrong, or right again. */
  readonly damage: (isDamaged: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface ServedFiles {
  readonly folder: string;
  readonly certificate: string;
  readonly key: string;
}

/** Starts nginx with these files. */
export async function startNginx({ folder, certificate, key }: ServedFiles): Promise<RealServer> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  const lines = (isDamaged: boolean) => `
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
  uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    ${isDamaged ? 'no_such_directive on;' : 'return 204;'}
  }
}
`;
  await writeFile(file, lines(false));
  const server = spawn(
    '/usr/sbin/nginx',
    ['-c', file, '-e', join(folder, 'error.log'), '-g', 'daemon off;'],
    {
      stdio: 'ignore',
    },
  );
  await until(() => servedSerial(port));
  const nginx = ['/usr/sbin/nginx', '-c', file, '-e', join(folder, 'error.log')];
  return {
    port,
    hooks: ['--test', ...nginx, '-t', '--reload', ...nginx, '-s', 'reload'],
    damage: (isDamaged) => writeFile(file, lines(isDamaged)),
    stop: () => stopProcess(server),
  };
}

/** Starts HAProxy, which reads the key of FILE from FILE.key. */
export async function startHaproxy({ folder, certificate }: ServedFiles): Promise<RealServer> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'haproxy.cfg');
  const pidFile = join(folder, 'pid');
  const lines = (isDamaged: boolean) => `
defaults
  mode http
  timeout client 5s
  timeout connect 5s
  timeout server 5s
frontend site
  bind 127.0.0.1:${port} ssl crt ${certificate}
  ${isDamaged ? 'no-such-keyword' : 'http-request return status 204'}
`;
  await writeFile(file, lines(false));
  const server = spawn('/usr/sbin/haproxy', ['-W', '-f', file, '-p', pidFile], { stdio: 'ignore' });
  await until(() => servedSerial(port));
  return {
    port,
    hooks: [
      '--test',
      '/usr/sbin/haproxy',
      '-c',
      '-q',
      '-f',
      file,
      '--reload',
      '/bin/kill',
      '-USR2',
      String(server.pid),
    ],
    damage: (isDamaged) => writeFile(file, lines(isDamaged)),
    stop: () => stopProcess(server),
  };
}

async function stopProcess(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
}

/** Serial number of what is served, in lower case; undefined if no handshake succeeds, which takes the key that fits. */
export async function servedSerial(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    const { serialNumber } = socket.getPeerCertificate();
    return serialNumber.toLowerCase();
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Whether a server of Debian is there. */
export function hasServer(name: 'nginx' | 'haproxy'): boolean {
  const isThere = spawnSync(`/usr/sbin/${name}`, ['-v']).status === 0;
  if (!isThere)
    process.stderr.write(`SKIPPED: ${name} is not there, so no certificate is installed for it\n`);
  return isThere;
}

/** Lines of a file, for tests of what was written. */
export const readLines = async (file: string): Promise<string[]> =>
  (await readFile(file, 'utf8')).split('\n');
