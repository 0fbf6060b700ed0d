// Makes the stack's project in the monitor the first time and a password for its owner, stores the keys and the
// password as files in the first folder given, and gives each service a copy of what it needs, in its folder below the
// second one. Files of another database than the one that the monitor has now stay as `.former`, and come back with it.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { shareSecret, writeSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;
const email = 'stack@localhost.test';
const monitorUrl = process.env.CHECK_MONITOR_URL;

const readOnly = join(folder, 'monitor-read-only-key');
const ping = join(folder, 'monitor-ping-key');
const password = join(folder, 'monitor-password');
const canary = join(folder, 'monitor-canary-key');
// the file that says it is done comes last
const last = join(folder, 'monitor-read-write-key');

const former = (file) => `${file}.former`;

/** Whether the monitor refuses a key; one that does not answer refuses nothing. */
async function isRefused(file) {
  try {
    const headers = { 'X-Api-Key': readFileSync(file, 'utf8').trim() };
    const signal = AbortSignal.timeout(10_000);
    return (await fetch(`${monitorUrl}/api/v3/checks/?slug=none`, { headers, signal })).status === 401;
  } catch {
    return false;
  }
}

function run(args, options) {
  return execFileSync(process.execPath, ['dist/src/cli.js', ...args], options);
}

const setUp = (...projects) => JSON.parse(run(['setup', '--owner', email, ...projects, '--json']));

if (existsSync(last) && (await isRefused(last))) {
  const isBack = existsSync(former(last)) && !(await isRefused(former(last)));
  for (const file of [readOnly, ping, password, canary, last]) {
    const text = isBack && existsSync(former(file)) ? readFileSync(former(file), 'utf8') : undefined;
    if (existsSync(file)) renameSync(file, former(file));
    if (text !== undefined) writeSecret(file, text);
  }
  const words = isBack ? 'those of its database are back' : 'new ones are made';
  console.error(`the monitor refuses the keys in ${folder}: ${words}, and they stay as .former`);
}

// a project of its own, so that no badge and no page of the other one shows the check that is meant to fall
const canaryProject = 'CertLoop canary';

if (!existsSync(last)) {
  const keys = setUp('--project', 'CertLoop', '--canary-project', canaryProject);
  writeSecret(canary, keys.canaryKey);
  writeSecret(readOnly, keys.readOnlyKey);
  writeSecret(ping, keys.pingKey);
  writeSecret(last, keys.readWriteKey);
}
if (!existsSync(password)) {
  const word = randomBytes(18).toString('base64url');
  run(['user', 'password', '--email', email], { input: `${word}\n` });
  writeSecret(password, word);
}
shareSecret(password, join(shares, 'check-monitor', 'monitor-password'));
shareSecret(last, join(shares, 'cert-manager', 'monitor-read-write-key'));

// a volume of an earlier version has none
if (!existsSync(canary)) writeSecret(canary, setUp('--project', canaryProject).readWriteKey);
shareSecret(canary, join(shares, 'cert-manager', 'monitor-canary-key'));
