import {
  capabilitiesOf,
  column,
  defineTable,
  executeSql,
  insertIfAbsent,
  insertMany,
  querySql,
  type Tx,
} from '@certloop/db';

/**
 * How many FQDNs each space has: counting 50,000 of them takes 3 ms. In a table of its own, so that it delays no one who
 * locks the space. Change it last in a transaction: others wait for it until the commit, and must not wait for more.
 */
export const spaceSizes = defineTable('space_sizes', {
  columns: { spaceId: column.uuid().primary(), fqdnCount: column.integer() },
  references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
});

/** The size of a new space. */
export async function insertSpaceSize(tx: Tx, spaceId: string): Promise<void> {
  await insertMany(tx, spaceSizes, [{ spaceId, fqdnCount: 0 }]);
}

/** Counts FQDNs that this transaction added, or removed if `by` is negative. */
export async function changeSpaceSize(tx: Tx, spaceId: string, by: number): Promise<void> {
  const text = 'update space_sizes set fqdn_count = fqdn_count + $1 where space_id = $2';
  await executeSql(tx, text, [by, spaceId]);
}

/** Counts the FQDNs of a space again. The transaction must have locked the space, so that no one adds any in the meantime. */
export async function recountSpace(tx: Tx, spaceId: string): Promise<void> {
  await insertIfAbsent(tx, spaceSizes, { spaceId, fqdnCount: 0 });
  if (capabilitiesOf(tx).hasConcurrentWriters) {
    // by a statement before: a removal that has changed the size is then visible, any other changes it later
    const lock = 'select space_id from space_sizes where space_id = $1 for update';
    await querySql(tx, { spaceId: column.uuid() }, lock, [spaceId]);
  }
  const count = '(select count(*) from fqdns f where f.space_id = space_sizes.space_id)';
  await executeSql(tx, `update space_sizes set fqdn_count = ${count} where space_id = $1`, [spaceId]);
}

/** Says that no space has an FQDN. */
export async function emptySpaceSizes(tx: Tx): Promise<void> {
  await executeSql(tx, 'update space_sizes set fqdn_count = 0');
}

/** Spaces whose size is missing or wrong. */
export async function listWrongSizes(tx: Tx): Promise<string[]> {
  const text = `select p.id from spaces p left join space_sizes z on z.space_id = p.id
      left join (select space_id, count(*) as actual from fqdns group by space_id) f on f.space_id = p.id
    where z.fqdn_count is null or z.fqdn_count <> coalesce(f.actual, 0)`;
  return (await querySql(tx, { id: column.uuid() }, text, [])).map(({ id }) => id);
}
