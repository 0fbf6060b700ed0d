import { appendFileSync } from 'node:fs';

/** What came of one order of an ACME client whose process was killed. */
export interface KilledOrder {
  readonly dialect: string;
  /** Kind of the CA. */
  readonly ca: 'signs' | 'has orders';
  readonly step: string;
  /** Orders at the CA, or requests that it answered with a certificate. */
  readonly asked: number;
  readonly stored: number;
}

/** Adds a row to the table that `npm run kills:clients` prints. */
export function noteKilledOrder({ dialect, ca, step, asked, stored }: KilledOrder): void {
  const table = process.env['CERTLOOP_CLIENT_KILLS_TABLE'];
  if (table !== undefined) appendFileSync(table, `| ${[dialect, ca, step, asked, stored].join(' | ')} |\n`);
}
