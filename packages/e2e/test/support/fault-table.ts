import { appendFileSync } from 'node:fs';

/** Rounds of each fault: two in every test run, more by `npm run faults`. */
export const faultRounds = Number(process.env['CERTLOOP_FAULT_ROUNDS'] ?? 2);

/** What happened to the messages that were under way during a fault. */
export interface FaultResult {
  readonly fault: string;
  readonly database: string;
  readonly sent: number;
  readonly arrived: number;
  /** Seconds from the beginning of the faults to the last arrival. */
  readonly lateSeconds: number;
  /** Messages that arrived once more, under the same name. */
  readonly repeated: number;
  /** Seconds from the end of a fault until all works and has arrived, the slowest of the rounds. */
  readonly wellSeconds?: number;
}

/** Adds a line to the table that `npm run faults` prints. */
export function reportFault(result: FaultResult): void {
  const file = process.env['CERTLOOP_FAULT_TABLE'];
  if (file === undefined) return;
  const { fault, database, sent, arrived, lateSeconds, repeated, wellSeconds } = result;
  const cells = [fault, database, sent, arrived, lateSeconds.toFixed(1), repeated, sent - arrived];
  if (wellSeconds !== undefined) cells.push(wellSeconds.toFixed(1));
  appendFileSync(file, `| ${cells.join(' | ')} |\n`);
}
