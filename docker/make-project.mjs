// Sets up cert-manager in the monitor: the keys and the password of the owner are files in the first folder given, and
// each service gets a copy of what it needs, in its folder below the second one.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { shareSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;

const setup = ['dist/src/cli.js', 'setup', '--owner', 'stack@localhost.test', '--dir', folder];
execFileSync(process.execPath, setup, { stdio: ['ignore', 'inherit', 'inherit'] });

for (const [service, name] of [
  ['check-monitor', 'monitor-password'],
  ['cert-manager', 'monitor-read-write-key'],
  ['cert-manager', 'monitor-canary-key'],
])
  shareSecret(join(folder, name), join(shares, service, name));
