import { closeSync, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { StartFailed } from '@certloop/server';
import { fromStateText, stateText } from './state-text.js';

/** Kinds of records, each under ids of its own. */
export type StateKind =
  | 'authority'
  | 'account'
  | 'authorization'
  | 'order'
  | 'acme-certificate'
  | 'certificate'
  | 'revocation'
  | 'compromised-key';

/** State that outlasts a restart. Records are written before the answer that may depend on them. */
export interface State {
  /** Records of the kind, oldest first. */
  load(kind: StateKind): readonly (readonly [id: string, record: unknown])[];
  /** Notes a record that may be new or have changed; it is read when it is written. */
  touch(kind: StateKind, id: string, read: () => unknown): void;
  drop(kind: StateKind, id: string): void;
  /** Writes what was noted and has changed, and returns when it is on disk. Throws when it cannot. */
  commit(): void;
  close(): void;
}

/** Nothing outlasts a restart. */
export const noState: State = {
  load: () => [],
  touch: () => undefined,
  drop: () => undefined,
  commit: () => undefined,
  close: () => undefined,
};

/** Part of better-sqlite3 that is used. */
interface Connection {
  pragma(text: string, options?: { readonly simple: true }): unknown;
  exec(text: string): void;
  prepare(text: string): {
    run(...values: readonly string[]): void;
    all(...values: readonly string[]): unknown[];
  };
  close(): void;
}

// "CLCA" in ASCII: which marks the file as ours
const application = 0x434c4341;
const format = 1;

/**
 * The state in an SQLite file, which is made when it does not exist; this process alone may use it then. Throws
 * StartFailed in one sentence when the file is in use, none of this service, of a newer version, or damaged.
 */
export function openStateFile(file: string): State {
  const db = connect(file);
  const upsert = db.prepare(
    `insert into record (kind, id, value) values (?, ?, ?)
     on conflict (kind, id) do update set value = excluded.value where value <> excluded.value`,
  );
  const remove = db.prepare('delete from record where kind = ? and id = ?');
  const select = db.prepare('select id, value from record where kind = ? order by number');
  const touched = new Map<string, () => void>();
  return {
    load: (kind) =>
      (select.all(kind) as { id: string; value: string }[]).map(
        ({ id, value }) => [id, fromStateText(value)] as const,
      ),
    touch: (kind, id, read) =>
      void touched.set(`${kind} ${id}`, () => upsert.run(kind, id, stateText(read()))),
    drop: (kind, id) => void touched.set(`${kind} ${id}`, () => remove.run(kind, id)),
    commit: () => {
      if (touched.size === 0) return;
      db.exec('begin');
      try {
        for (const write of touched.values()) write();
        db.exec('commit');
      } catch (error) {
        db.exec('rollback');
        throw error;
      }
      touched.clear();
    },
    close: () => db.close(),
  };
}

function connect(file: string): Connection {
  const setting = `DUMMY_CA_STATE_FILE ${file}`;
  let db: Connection | undefined;
  try {
    // the file has the root's key: it and its log are for their owner alone
    closeSync(openSync(file, 'a', 0o600));
    db = new (driver())(file, { timeout: 0 });
    db.pragma('locking_mode = exclusive');
    db.pragma('journal_mode = wal');
    // an answer follows each commit
    db.pragma('synchronous = full');
    db.exec('begin immediate; commit');
    prepare(db, setting);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StartFailed) throw error;
    const { code = '', message } = error as Error & { readonly code?: string };
    const reasons: readonly (readonly [RegExp, string])[] = [
      [/^SQLITE_BUSY|^SQLITE_LOCKED/, 'another process uses it'],
      [/^SQLITE_NOTADB/, 'it is not a state file of dummy-ca; name another file, or move this one away'],
      [/^SQLITE_CORRUPT/, 'it is damaged; restore it, or move it away to start again'],
      [/^SQLITE_CANTOPEN|^SQLITE_READONLY|^E[A-Z]+$/, `it cannot be written (${code})`],
    ];
    const [, reason] = reasons.find(([pattern]) => pattern.test(code)) ?? [undefined, message];
    throw new StartFailed(`${setting}: ${reason}`, { cause: error });
  }
}

function prepare(db: Connection, setting: string): void {
  const number = (name: string) => Number(db.pragma(name, { simple: true }));
  const isEmpty = number('schema_version') === 0;
  if (!isEmpty && number('application_id') !== application)
    throw new StartFailed(
      `${setting}: it is not a state file of dummy-ca; name another file, or move this one away`,
    );
  if (number('user_version') > format)
    throw new StartFailed(`${setting}: a newer version of dummy-ca wrote it; start that one`);
  if (db.pragma('quick_check', { simple: true }) !== 'ok')
    throw new StartFailed(`${setting}: it is damaged; restore it, or move it away to start again`);
  db.exec(`
    begin;
    create table if not exists record (
      number integer primary key autoincrement, kind text not null, id text not null, value text not null,
      unique (kind, id)
    );
    pragma application_id = ${application};
    pragma user_version = ${format};
    commit`);
}

/** The driver that fits this Node, loaded only where there is a file. */
function driver(): new (file: string, options: { readonly timeout: number }) => Connection {
  const major = Number(process.versions.node.split('.')[0]);
  return createRequire(import.meta.url)(major < 22 ? 'better-sqlite3' : 'better-sqlite3-napi');
}
