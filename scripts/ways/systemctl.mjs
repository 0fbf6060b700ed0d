// Stands for systemctl: runs the services of /etc/systemd/system by the settings of their units that this machine can
// do: program, folders, variables, user, umask, private /tmp, no privileges, everything else read-only. Not there:
// restarts, filters of system calls.
import { spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, readContainers, state, stopContainer } from './container.mjs';

const listFile = join(state, 'containers.json');

/** The lines of a file as name and value. */
const linesOf = (text) =>
  text
    .split('\n')
    .map((line) => /^(\w+)=(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, name, value]) => [name, value]);

/** Environment that systemd gives: that of the unit, then that of its file. */
function environmentOf(lines, value) {
  const own = lines
    .filter(([name]) => name === 'Environment')
    .map(([, text]) => text.split(/=(.*)/s).slice(0, 2));
  const unquoted = linesOf(readFileSync(value('EnvironmentFile'), 'utf8')).map(([name, text]) => [
    name,
    text.replace(/^"(.*)"$/, '$1'),
  ]);
  return {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin',
    ...Object.fromEntries([...own, ...unquoted]),
  };
}

function start(name) {
  const unit = readFileSync(`/etc/systemd/system/${name}.service`, 'utf8');
  const lines = linesOf(unit);
  const value = (key) => lines.findLast(([one]) => one === key)?.[1];
  const uid = 61_184 + ['dummy-ca', 'check-monitor', 'cert-manager'].indexOf(name);
  const folder = join('/var/lib', value('StateDirectory'));
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, Number.parseInt(value('StateDirectoryMode'), 8));
  chownSync(folder, uid, uid);
  const setUp = [
    'set -euo pipefail',
    value('PrivateTmp') === 'yes' ? 'mount -t tmpfs -o mode=1777 none /tmp' : '',
    `mount --bind ${folder} ${folder}`,
    value('ProtectSystem') === 'strict'
      ? `mount -o remount,ro,bind /; mount -o remount,rw,bind ${folder}`
      : '',
    `umask ${value('UMask')}; cd ${value('WorkingDirectory')}`,
    `exec setpriv --reuid ${uid} --regid ${uid} --clear-groups --no-new-privs --bounding-set=-all ${value('ExecStart')}`,
  ];
  const journal = join(state, 'log', `${name}.log`);
  const out = openSync(journal, 'a');
  const words = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
    'bash',
    '-c',
    setUp.join('\n'),
  ];
  const env = environmentOf(lines, value);
  const { pid } = spawn('unshare', words, { env, stdio: ['ignore', out, out], detached: true });
  const all = { ...readContainers(), [name]: { name, service: name, pid, log: journal } };
  writeFileSync(listFile, JSON.stringify(all));
}

const [command, ...words] = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
if (['enable', 'restart', 'start'].includes(command)) {
  for (const name of names) {
    if (!existsSync(`/etc/systemd/system/${name}.service`)) throw new Error(`there is no unit ${name}`);
    const former = readContainers()[name];
    const isRunning = former !== undefined && isAlive(former);
    if (isRunning && command !== 'restart') continue;
    if (isRunning) await stopContainer(former);
    start(name);
  }
  process.exit();
}
