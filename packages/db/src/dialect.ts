import type { EntityManager } from 'typeorm';

export type DialectName = 'sqlite' | 'postgres';

/** Portable kinds of a column; see `column` for what each holds. */
export type ColumnKind =
  | 'key'
  | 'uuid'
  | 'word'
  | 'text'
  | 'integer'
  | 'bigint'
  | 'boolean'
  | 'instant'
  | 'json'
  | 'bytes';

/** Names that the types of a database go by, for both an entity and its migration. */
type TypeName = 'bigint' | 'blob' | 'boolean' | 'bytea' | 'datetime' | 'integer' | 'json' | 'jsonb' | 'text';
type PortableTypeName = TypeName | 'timestamptz' | 'uuid' | 'varchar';

export interface Dialect {
  readonly name: DialectName;
  /** The database's own type for each portable kind. */
  readonly types: Readonly<Record<ColumnKind, PortableTypeName>>;
  /** Collation of text columns, where the default is not: by code point, on any server. */
  readonly collation: string | undefined;
  readonly capabilities: Capabilities;
}

/**
 * Capabilities that one database has and another does not. Code asks for what it relies on, never for the name of the
 * database.
 */
export interface Capabilities {
  /** Transactions write side by side and lock rows (`for update skip locked`); without, a writer is alone. */
  readonly hasConcurrentWriters: boolean;
  /** The database is a file that this process reads and writes itself, so that a long statement holds up all others. */
  readonly isEmbedded: boolean;
  /** It chooses an index by how many rows it expects to find, not by the form of the statement alone. */
  readonly plansByStatistics: boolean;
}

const shared = {
  word: 'varchar',
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
} as const;

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    name: 'sqlite',
    // key: only a column declared exactly "integer" counts up automatically; it has 64 bits there
    // json: text, since jsonb would be a blob that no shell shows
    types: { ...shared, key: 'integer', uuid: 'varchar', instant: 'datetime', json: 'json', bytes: 'blob' },
    collation: undefined,
    capabilities: { hasConcurrentWriters: false, isEmbedded: true, plansByStatistics: false },
  },
  postgres: {
    name: 'postgres',
    // instant: with zone, as a timestamp without one would depend on the TZ of the process
    types: {
      ...shared,
      key: 'bigint',
      uuid: 'uuid',
      instant: 'timestamptz',
      json: 'jsonb',
      bytes: 'bytea',
    },
    collation: 'C',
    capabilities: { hasConcurrentWriters: true, isEmbedded: false, plansByStatistics: true },
  },
};

/** The dialect of the database that a transaction is on. */
export function dialectOf(tx: EntityManager): Dialect {
  return tx.dataSource.options.type === 'better-sqlite3' ? dialects.sqlite : dialects.postgres;
}

export function capabilitiesOf(tx: EntityManager): Capabilities {
  return dialectOf(tx).capabilities;
}

/** Returns the spelling for the database of the transaction, of what the databases spell differently. */
export function inDialect<T>(tx: EntityManager, spellings: Readonly<Record<DialectName, T>>): T {
  return spellings[dialectOf(tx).name];
}
