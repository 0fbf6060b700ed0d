// Makes the stack's project in the monitor the first time, and keeps its keys as files in the folder given.
import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
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
  const store = (file, key) => writeFileSync(file, key, { mode: 0o600 });
  store(join(folder, 'monitor-read-only-key'), readOnlyKey);
  store(join(folder, 'monitor-ping-key'), pingKey);
  // The file that says it is done comes last, and whole.
  store(`${last}.new`, readWriteKey);
  renameSync(`${last}.new`, last);
}
