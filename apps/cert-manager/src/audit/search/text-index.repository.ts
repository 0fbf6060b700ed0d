import { column, type Database, querySql } from '@certloop/db';

const name = 'ix_audit_logs_text';

/** State of the index of PostgreSQL that finds texts within the details. */
export type TextIndexState = 'missing' | 'valid' | 'being made' | 'left unfinished';

export function findTextIndex(db: Database): Promise<TextIndexState> {
  return db.read(async (tx) => {
    const text = `select i.indisvalid as is_valid, exists (
        select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as is_made
      from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = to_regclass('audit_logs') and c.relname = $1`;
    const columns = { isValid: column.boolean(), isMade: column.boolean() };
    const [found] = await querySql(tx, columns, text, [name]);
    if (found === undefined) return 'missing';
    if (found.isValid) return 'valid';
    return found.isMade ? 'being made' : 'left unfinished';
  });
}

/** Makes the index while others read and write. The words are those of the search. */
export async function createTextIndex(db: Database): Promise<void> {
  await db.runOutsideTransaction('create extension if not exists pg_trgm');
  await db.runOutsideTransaction(
    `create index concurrently if not exists ${name} on audit_logs using gin (${auditText} gin_trgm_ops)`,
  );
  // the index is useless to a planner that does not know how rare texts are
  await db.runOutsideTransaction('analyze audit_logs');
}

export function dropTextIndex(db: Database): Promise<void> {
  return db.runOutsideTransaction(`drop index concurrently if exists ${name}`);
}

/** Expression in which a text is searched: the database lowers both sides; SQLite knows the letters of ASCII alone. */
export const auditText = 'lower(cast(details as text))';
