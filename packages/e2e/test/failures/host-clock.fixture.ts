// Loaded before a service of a test: the clocks of its host differ from the real ones by what HOST_CLOCK_FILE says.
import { readFileSync } from 'node:fs';

const [wall, monotonic] = [Date.now, process.hrtime.bigint];
const difference = () => {
  const [wallMs = 0, monotonicMs = 0] = readFileSync(process.env['HOST_CLOCK_FILE'] ?? '', 'utf8').split(' ');
  return { wallMs: Number(wallMs), monotonicMs: Number(monotonicMs) };
};
Date.now = () => wall() + difference().wallMs;
process.hrtime.bigint = () => monotonic() + BigInt(difference().monotonicMs) * 1_000_000n;
