import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../support/test-stack.js';

export interface HostClock {
  /** For the processes that run on the host. */
  readonly environment: Readonly<Record<string, string>>;
  /** How many milliseconds its clocks are ahead of the real ones. */
  readonly set: (wallMs: number, monotonicMs?: number) => Promise<void>;
}

/** The clocks of a host whose processes are started with the environment. */
export async function createHostClock(wallMs: number, cleanups: Cleanup[]): Promise<HostClock> {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-clock-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'clock');
  const set = async (wall: number, monotonic = 0) => {
    // whole at each moment, as processes read it at any
    await writeFile(`${file}.new`, `${wall} ${monotonic}`);
    await rename(`${file}.new`, file);
  };
  await set(wallMs);
  const preload = new URL('host-clock.fixture.js', import.meta.url).href;
  return { set, environment: { NODE_OPTIONS: `--import=${preload}`, HOST_CLOCK_FILE: file } };
}
