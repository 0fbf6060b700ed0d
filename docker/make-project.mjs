// Makes the stack's project in the monitor the first time and a password for its owner, stores the keys and the
// password as files in the first folder given, and gives each service a copy of what it needs, in its folder below the
// second one.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shareSecret, writeSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;
const email = 'stack@localhost.test';
const last = join(folder, 'monitor-read-write-key');

const setUp = (...projects) => {
  const args = ['dist/src/cli.js', 'setup', '--owner', email, ...projects, '--json'];
  return JSON.parse(execFileSync(process.execPath, args));
};

// a project of its own, so that no badge and no page of the other one shows the check that is meant to fall
const canaryProject = 'CertLoop canary';
const canary = join(folder, 'monitor-canary-key');

if (!existsSync(last)) {
  const keys = setUp('--project', 'CertLoop', '--canary-project', canaryProject);
  const { readWriteKey, readOnlyKey, pingKey, canaryKey } = keys;
  writeSecret(canary, canaryKey);
  writeSecret(join(folder, 'monitor-read-only-key'), readOnlyKey);
  writeSecret(join(folder, 'monitor-ping-key'), pingKey);
  // The file that says it is done comes last.
  writeSecret(last, readWriteKey);
}
const password = join(folder, 'monitor-password');
if (!existsSync(password)) {
  const word = randomBytes(18).toString('base64url');
  const command = ['dist/src/cli.js', 'user', 'password', '--email', email];
  execFileSync(process.execPath, command, { input: `${word}\n` });
  writeSecret(password, word);
}
shareSecret(password, join(shares, 'check-monitor', 'monitor-password'));
shareSecret(last, join(shares, 'cert-manager', 'monitor-read-write-key'));

// a volume of an earlier version has none
if (!existsSync(canary)) writeSecret(canary, setUp('--project', canaryProject).readWriteKey);
shareSecret(canary, join(shares, 'cert-manager', 'monitor-canary-key'));
