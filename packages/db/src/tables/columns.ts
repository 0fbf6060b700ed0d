import type { EntitySchemaColumnOptions, TableColumnOptions, ValueTransformer } from 'typeorm';
import type { ColumnKind, Dialect } from '../dialect.js';

/** Definition of a column. */
export interface ColumnSpec {
  readonly kind: ColumnKind;
  readonly length: number | undefined;
  readonly isNullable: boolean;
  readonly isPrimary: boolean;
}

/**
 * One column of a table, the same for both databases; `Value` is what rows hold in it.
 * Columns refuse null unless `nullable()`. They have no default: an app sets every value itself,
 * as defaults are spelled differently by the databases and read back as a change of the schema.
 */
export class Column<Value> implements ColumnSpec {
  readonly kind: ColumnKind;
  readonly length: number | undefined;
  readonly isNullable: boolean;
  readonly isPrimary: boolean;
  /** Never set; keeps columns of different values apart for the compiler. */
  readonly holds?: (value: Value) => Value;

  constructor(kind: ColumnKind, traits: { length?: number; isNullable?: boolean; isPrimary?: boolean } = {}) {
    this.kind = kind;
    this.length = traits.length;
    this.isNullable = traits.isNullable ?? false;
    this.isPrimary = traits.isPrimary ?? false;
  }

  nullable(): Column<Value | null> {
    return new Column(this.kind, { ...this.traits(), isNullable: true });
  }

  /** Part of the primary key. */
  primary(): Column<Value> {
    return new Column(this.kind, { ...this.traits(), isPrimary: true });
  }

  private traits(): { length?: number; isNullable: boolean; isPrimary: boolean } {
    const { isNullable, isPrimary } = this;
    return this.length === undefined
      ? { isNullable, isPrimary }
      : { length: this.length, isNullable, isPrimary };
  }
}

/** The portable columns. */
export const column = {
  /** Primary key that the database generates by counting up; a number. Rows call it `id`. */
  key: (): Column<number> => new Column('key', { isPrimary: true }),
  uuid: (): Column<string> => new Column('uuid', { length: 36 }),
  /** Short text of at most `length` characters; SQLite does not enforce the length. */
  word: <Value extends string = string>(length: number): Column<Value> => new Column('word', { length }),
  text: <Value extends string = string>(): Column<Value> => new Column('text'),
  /** Whole number of 32 bits. */
  integer: (): Column<number> => new Column('integer'),
  /** Whole number up to 2^53, read as a number. */
  bigint: (): Column<number> => new Column('bigint'),
  boolean: (): Column<boolean> => new Column('boolean'),
  /** Date in UTC, stored to the millisecond, whatever the zone of the process. */
  instant: (): Column<Date> => new Column('instant'),
  /** Instant as whole microseconds since 1970 in UTC, for what a millisecond is too coarse for. */
  preciseInstant: (): Column<number> => new Column('bigint'),
  /** Any JSON value. PostgreSQL does not keep the order of keys and refuses the character U+0000. */
  json: <Value>(): Column<Value> => new Column('json'),
  bytes: (): Column<Buffer> => new Column('bytes'),
};

/** Name in the database of a property of a row: `spaceId` → `space_id`. */
export function columnName(property: string): string {
  let name = columnNames.get(property);
  if (name === undefined) {
    name = property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columnNames.set(property, name);
  }
  return name;
}

// every statement asks for the same few hundred
const columnNames = new Map<string, string>();

// PostgreSQL hands 64 bits out as text, since they may exceed what a number holds
const numeric: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (typeof value === 'string' ? Number(value) : value),
};

/** The column as an entity declares it. */
export function entityColumn(
  dialect: Dialect,
  property: string,
  spec: ColumnSpec,
  primaryKey: string,
): EntitySchemaColumnOptions {
  return {
    name: columnName(property),
    type: dialect.types[spec.kind],
    nullable: spec.isNullable,
    ...(hasLength(dialect, spec) && { length: spec.length }),
    ...collationOf(dialect, spec),
    ...(spec.isPrimary && { primary: true, primaryKeyConstraintName: primaryKey }),
    ...(spec.kind === 'key' && { generated: 'increment' as const }),
    ...((spec.kind === 'bigint' || spec.kind === 'key') && { transformer: numeric }),
  };
}

/** The column as a migration declares it. */
export function tableColumn(
  dialect: Dialect,
  property: string,
  spec: ColumnSpec,
  primaryKey: string,
): TableColumnOptions {
  return {
    name: columnName(property),
    type: dialect.types[spec.kind],
    isNullable: spec.isNullable,
    ...(hasLength(dialect, spec) && { length: String(spec.length) }),
    ...collationOf(dialect, spec),
    ...(spec.isPrimary && { isPrimary: true, primaryKeyConstraintName: primaryKey }),
    ...(spec.kind === 'key' && { isGenerated: true, generationStrategy: 'increment' as const }),
  };
}

function hasLength(dialect: Dialect, spec: ColumnSpec): spec is ColumnSpec & { readonly length: number } {
  return spec.length !== undefined && dialect.types[spec.kind] === 'varchar';
}

function collationOf({ collation }: Dialect, { kind }: ColumnSpec): { readonly collation?: string } {
  return collation !== undefined && (kind === 'word' || kind === 'text') ? { collation } : {};
}
