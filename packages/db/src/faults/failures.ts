import { AppError, Unavailable } from '@certloop/contracts';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';

/** The database cannot be opened, reached or written; one sentence without a password, worth no stack. */
export class DatabaseUnavailable extends Unavailable {
  override readonly name = 'DatabaseUnavailable';
}

/** There is no database of the service at the address: no file, or none of its tables. */
export class DatabaseMissing extends DatabaseUnavailable {}

/**
 * Code that the driver gave to a failed query, past the mapper too, such as `SQLITE_BUSY` or `40001`; undefined for
 * anything else.
 */
export function driverCode(error: unknown): string | undefined {
  const failure: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (failure === error && !isOfDriver(error)) return undefined;
  const { code } = failure as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

function isOfDriver(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return true;
  // the binding keeps the error class of the realm that loaded it first, which may not be this one
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'SqliteError';
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: serialization_failure, deadlock_detected
const temporaryCodes = new Set([
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_BUSY_RECOVERY',
  '40001',
  '40P01',
]);

/** Whether the database asks to run the whole transaction again. */
export function isTemporary(error: unknown): boolean {
  const code = driverCode(error);
  return code !== undefined && temporaryCodes.has(code);
}

// connection_exception (and what PgBouncer says of itself), insufficient_resources, lock_not_available,
// idle_in_transaction_session_timeout, query_canceled and the shutdowns, system_error
const awayOnPostgres = /^(08|53|58)|^(55P03|25P03|57014|57P0[1-5])$/;
// https://www.sqlite.org/rescode.html
const awayOnSqlite = /^SQLITE_(LOCKED|FULL|IOERR|CANTOPEN|NOMEM|PROTOCOL)/;
// what a writer meets on a standby, or on a disk that was mounted again
const unwritable = /^25006$|^SQLITE_READONLY/;

/** Whether a writer met a database that can only be read. */
export function isUnwritable(error: unknown): boolean {
  return unwritable.test(driverCode(error) ?? '');
}

/** DatabaseUnavailable in place of an error that says that the database cannot do its work; any other as it is. */
export function asUnavailable(error: unknown, access: 'read' | 'write'): unknown {
  const code = driverCode(error);
  if (code === undefined) return error;
  const isAway = temporaryCodes.has(code) || awayOnPostgres.test(code) || awayOnSqlite.test(code);
  if (!isAway && !(access === 'write' && unwritable.test(code))) return error;
  const { message } = error as Error;
  return new DatabaseUnavailable(`the database cannot do its work: ${message} (${code})`, {
    cause: withoutValues(error),
  });
}

/** DatabaseUnavailable in place of whatever a statement made of its lost connection; refusals stay as they are. */
export function asLost(error: unknown, reason: Error): unknown {
  if (error instanceof AppError || error instanceof DatabaseUnavailable) return error;
  return new DatabaseUnavailable(`the connection to the database was lost: ${reason.message}`, {
    cause: withoutValues(error),
  });
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
