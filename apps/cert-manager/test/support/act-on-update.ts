import type { Database } from '@certloop/db';

/** A statement in the words of each database. */
interface Act {
  readonly sqlite: string;
  readonly postgres: string;
}

/** Makes the database run a statement before it updates this FQDN; returns how to undo that. */
export async function actOnUpdate(
  database: Database,
  fqdn: string,
  { sqlite, postgres }: Act,
): Promise<() => Promise<void>> {
  const isSqlite = database.dialect.name === 'sqlite';
  const run = (text: string) => database.transaction((tx) => tx.query(text));
  if (isSqlite) {
    await run(`create trigger acting before update on fqdns when new.fqdn = '${fqdn}' begin ${sqlite}; end`);
  } else {
    await run(`create or replace function act() returns trigger language plpgsql
      as $$ begin ${postgres}; return new; end $$`);
    await run(`create trigger acting before update on fqdns for each row
      when (new.fqdn = '${fqdn}') execute function act()`);
  }
  return () => run(`drop trigger acting${isSqlite ? '' : ' on fqdns'}`);
}
