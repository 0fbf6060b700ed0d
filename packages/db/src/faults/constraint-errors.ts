import { QueryFailedError } from 'typeorm';
import { columnName } from '../tables/columns.js';
import { constraintName } from '../tables/table.js';
import { driverCode } from './failures.js';

export type ConstraintKind = 'unique' | 'foreign_key' | 'not_null' | 'check';

export interface ConstraintViolation {
  readonly kind: ConstraintKind;
  /** Such as `uq_spaces_name`. Unknown for a foreign key on SQLite and for not_null. */
  readonly name?: string;
  readonly table?: string;
  /** Columns of a unique or not_null constraint, as the database names them. */
  readonly columns?: readonly string[];
}

const kinds: Readonly<Record<string, ConstraintKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: 'unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'unique',
  SQLITE_CONSTRAINT_ROWID: 'unique',
  SQLITE_CONSTRAINT_FOREIGNKEY: 'foreign_key',
  // what `on delete restrict` raises
  SQLITE_CONSTRAINT_TRIGGER: 'foreign_key',
  SQLITE_CONSTRAINT_NOTNULL: 'not_null',
  SQLITE_CONSTRAINT_CHECK: 'check',
  '23505': 'unique',
  '23503': 'foreign_key',
  // restrict_violation
  '23001': 'foreign_key',
  '23502': 'not_null',
  '23514': 'check',
};

/** The constraint that a failed query of either database met; undefined for any other error. */
export function constraintViolation(error: unknown): ConstraintViolation | undefined {
  const code = driverCode(error);
  const kind = code === undefined ? undefined : kinds[code];
  if (kind === undefined || !(error instanceof QueryFailedError)) return undefined;
  return code?.startsWith('SQLITE_') === true
    ? sqliteViolation(kind, code, error.driverError.message)
    : postgresViolation(kind, error.driverError);
}

/**
 * Returns what `work` returns; a unique violation becomes the refusal. With `columns`, given as properties, only a
 * violation of exactly these counts. The transaction is lost on PostgreSQL: let the refusal end it.
 */
export async function onUniqueViolation<T>(
  work: () => Promise<T>,
  refusal: () => Error,
  columns?: readonly string[],
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const violation = constraintViolation(error);
    if (violation?.kind === 'unique' && isOf(violation, columns)) throw refusal();
    throw error;
  }
}

function isOf(violation: ConstraintViolation, columns: readonly string[] | undefined): boolean {
  if (columns === undefined) return true;
  const wanted = columns.map(columnName);
  return (
    violation.columns?.length === wanted.length && wanted.every((name) => violation.columns?.includes(name))
  );
}

/** SQLite says "UNIQUE constraint failed: spaces.name, spaces.owner_id", and nothing of a foreign key. */
function sqliteViolation(kind: ConstraintKind, code: string, message: string): ConstraintViolation {
  const [, list] = /constraint failed: (.+)$/.exec(message) ?? [];
  if (list === undefined || kind === 'foreign_key') return { kind };
  if (kind === 'check') return { kind, name: list };
  const places = list.split(', ').map((place) => place.split('.'));
  const table = places[0]?.[0] ?? '';
  const columns = places.map(([, column]) => column ?? '');
  if (kind === 'not_null') return { kind, table, columns };
  const isPrimary = code !== 'SQLITE_CONSTRAINT_UNIQUE';
  return { kind, name: isPrimary ? `pk_${table}` : constraintName('uq', table, columns), table, columns };
}

interface PostgresError {
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
  readonly detail?: string;
}

/** The detail reads "Key (name, owner_id)=(x, 7) already exists." in whatever language. */
function postgresViolation(kind: ConstraintKind, error: PostgresError): ConstraintViolation {
  const [, list] = /\(([^)]+)\)=\(/.exec(error.detail ?? '') ?? [];
  const columns = error.column === undefined ? list?.replaceAll('"', '').split(', ') : [error.column];
  return {
    kind,
    ...(error.constraint !== undefined && { name: error.constraint }),
    ...(error.table !== undefined && { table: error.table }),
    ...(columns !== undefined && kind !== 'foreign_key' && { columns }),
  };
}
