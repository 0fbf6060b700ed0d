import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The database cannot be opened or reached; one sentence without a password, worth no stack. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/**
 * Code that the driver gave to a failed query, past the mapper too, such as `SQLITE_BUSY` or `40001`; undefined for
 * anything else.
 */
export function driverCode(error: unknown): string | undefined {
  const failure: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (failure === error && !(error instanceof pg.DatabaseError)) return undefined;
  const { code } = failure as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: serialization_failure, deadlock_detected
const passing = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_BUSY_RECOVERY', '40001', '40P01']);

/** Whether the database asks to run the whole transaction again. */
export function isPassing(error: unknown): boolean {
  const code = driverCode(error);
  return code !== undefined && passing.has(code);
}

/** The error without the values of its query or its rows, since they may be secrets and errors end in logs. */
export function withoutValues(error: unknown): unknown {
  if (error instanceof pg.DatabaseError) hideValues(error);
  if (!(error instanceof QueryFailedError)) return error;
  Object.assign(error, { parameters: [] });
  hideValues(error.driverError);
  // the mapper copies what the driver says
  hideValues(error);
  return error;
}

function hideValues(failure: Error & { detail?: string | undefined; where?: string | undefined }): void {
  // PostgreSQL: "Key (email)=(ada@example.org) already exists.", or the whole row
  const [columns] = /\([^)]+\)=\(/.exec(failure.detail ?? '') ?? [];
  failure.detail = columns === undefined ? '' : `${columns}…)`;
  delete failure.where;
}
