export type DialectName = 'sqlite' | 'postgres';

/** Portable kinds of a column; what each holds is told at `column`. */
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
  /** How text is ordered where it is not so by itself: by code point, on any server. */
  readonly collation: string | undefined;
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
    // key: only a column declared exactly "integer" may count by itself; it has 64 bits there
    // json: text, since jsonb would be a blob that no shell shows
    types: { ...shared, key: 'integer', uuid: 'varchar', instant: 'datetime', json: 'json', bytes: 'blob' },
    collation: undefined,
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
  },
};
