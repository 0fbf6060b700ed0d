import { spawnSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { processIo } from '@certloop/cli/dist/src/io.js';
import { run } from '@certloop/cli/dist/src/run.js';

// `certloop` that ends, or loses its disk, before the step with the number: FAULT is kill, full or readonly.
const { AT_STEP = '', FAULT = '', DISK = '' } = process.env;
let count = 0;

function atStep(): void {
  count += 1;
  if (count !== Number(AT_STEP)) return;
  if (FAULT === 'kill') process.kill(process.pid, 'SIGKILL');
  else if (FAULT === 'full') fillDisk();
  else if (spawnSync('mount', ['-o', 'remount,ro', DISK]).status !== 0) throw new Error('not read-only');
}

function fillDisk(): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(`${DISK}/ballast`, Buffer.alloc(size));
    } catch {
      // a smaller piece may still fit
    }
  }
}

process.exitCode = await run(process.argv.slice(2), { ...processIo(), atStep });
