// Makes the stack's project in the monitor the first time, keeps its keys as files in the first folder given, and
// gives cert-manager a copy of the one that it needs, in its folder below the second one.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shareSecret, writeSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;
const last = join(folder, 'monitor-read-write-key');

if (!existsSync(last)) {
  const owner = ['--owner', 'stack@localhost.test', '--check-limit', '1000000'];
  const said = execFileSync(process.execPath, [
    'dist/src/cli.js',
    'setup',
    ...owner,
    '--project',
    'CertLoop',
    '--json',
  ]);
  const { readWriteKey, readOnlyKey, pingKey } = JSON.parse(said);
  writeSecret(join(folder, 'monitor-read-only-key'), readOnlyKey);
  writeSecret(join(folder, 'monitor-ping-key'), pingKey);
  // The file that says it is done comes last.
  writeSecret(last, readWriteKey);
}
shareSecret(last, join(shares, 'cert-manager', 'monitor-read-write-key'));
