import { readFileSync } from 'node:fs';

// The unit of /proc/PID/stat on every Linux that Node runs on.
const ticksPerSecond = 100;

/** CPU seconds that a process has used so far; NaN where the system does not report it. */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return Number.NaN;
  }
}
