import { multiply } from '../multiply.mjs';

// a row of a certificate has 3 kB, and what one statement copies is sorted first
const slice = 50_000;

/**
 * Copies rows as multiply.mjs does, in transactions of 50,000; `change` gets the number of the copy, from 1, as `i`
 * beside the words. References are not checked on PostgreSQL.
 */
export async function copyRows({ database, dialect }, table, { where, count, change }) {
  for (let done = 0; done < count; done += slice) {
    const numbered = (words) => change({ ...words, i: `(n.i + ${done})` });
    const text = multiply(dialect, table, { where, count: Math.min(slice, count - done), change: numbered });
    await unchecked(database, text);
  }
  process.stderr.write(`  ${count.toLocaleString('en')} ${table.name}\n`);
}

/** Runs SQL; references are not checked on PostgreSQL. */
export function unchecked(database, text) {
  return database.transaction(async (tx) => {
    if (database.dialect.name === 'postgres') await tx.query('set local session_replication_role = replica');
    await tx.query(text);
  });
}
