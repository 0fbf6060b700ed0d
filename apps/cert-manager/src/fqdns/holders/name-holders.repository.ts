import { setImmediate as turn } from 'node:timers/promises';
import { column, defineTable, executeSql, placeholders, querySql, type Tx } from '@certloop/db';
import type { FqdnRow } from '../fqdns.repository.js';
import { type FoundHolders, type NameHolder, nameLookupOf, parentOf } from './held-name.js';

/** A name with its holder. It ends with the FQDN, and the next space that is issued a certificate holds the name. */
export const nameHolders = defineTable('name_holders', {
  columns: {
    name: column.word(253).primary(),
    /** The name without its first label. */
    parent: column.word(253),
    spaceId: column.uuid(),
    fqdnId: column.uuid(),
    since: column.instant(),
  },
  // the spaces below a domain are read from it alone
  indexes: [{ columns: ['parent', 'spaceId'] }, { columns: ['fqdnId'] }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/**
 * Makes the spaces of FQDNs that were just issued certificates the holders of the names that have none. Of two
 * transactions that are first, the second one waits and then finds the holder.
 */
export async function holdNames(
  tx: Tx,
  fqdns: readonly Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>[],
  now: Date,
): Promise<void> {
  if (fqdns.length === 0) return;
  // in one order, so that two transactions do not wait for each other
  const sorted = fqdns.toSorted((one, other) => (one.fqdn < other.fqdn ? -1 : 1));
  const tuples = sorted.map((_, index) => `(${placeholders(5, 1 + 5 * index)})`);
  const values = sorted.flatMap(({ id, spaceId, fqdn }) => [fqdn, parentOf(fqdn), spaceId, id, now]);
  const text = `insert into name_holders (name, parent, space_id, fqdn_id, since) values ${tuples.join(', ')}
    on conflict (name) do nothing`;
  await executeSql(tx, text, values);
}

/** Who holds names as CSRs have them, and the names that decide that. */
export async function findHolders(tx: Tx, names: readonly string[]): Promise<FoundHolders> {
  const lookups = names.flatMap((name) => nameLookupOf(name) ?? []);
  const deciding = [...new Set(lookups.flatMap((lookup) => lookup.deciding))];
  const domains = [...new Set(lookups.flatMap(({ wildcardOf }) => wildcardOf ?? []))];
  const byName = new Map<string, NameHolder>();
  await inSlices(deciding, async (some) => {
    const text = `${among(some)} select h.name, h.space_id, h.fqdn_id
      from asked a cross join name_holders h where h.name = a.name`;
    for (const row of await querySql<NameHolder>(tx, holderColumns, text, some)) byName.set(row.name, row);
  });
  const spacesBelow = new Map<string, string[]>();
  await inSlices(domains, async (some) => {
    const text = `${among(some)} select distinct h.parent, h.space_id
      from asked a cross join name_holders h where h.parent = a.name`;
    for (const { parent, spaceId: id } of await querySql(tx, { parent: parentColumn, spaceId }, text, some)) {
      spacesBelow.set(parent, [...(spacesBelow.get(parent) ?? []), id]);
    }
  });
  return { byName, spacesBelow };
}

/** SQLite reads the whole table for a list of so many, but goes through a cross join in its order. */
function among(names: readonly string[]): string {
  return `with asked (name) as (values ${names.map((_, index) => `($${index + 1})`).join(', ')})`;
}

/** A name directly below the domain that the space holds. */
export async function findHolderBelow(
  tx: Tx,
  domain: string,
  space: string,
): Promise<NameHolder | undefined> {
  const text = 'select name, space_id, fqdn_id from name_holders where parent = $1 and space_id = $2 limit 1';
  return (await querySql<NameHolder>(tx, holderColumns, text, [domain, space]))[0];
}

const { name, parent: parentColumn, spaceId, fqdnId } = nameHolders.columns;
const holderColumns = { name, spaceId, fqdnId };

const maxInSlice = 512;

/** Gives the names in lists of few lengths, as each length is a statement of its own; others have a turn between two. */
async function inSlices(names: readonly string[], read: (some: string[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < names.length; start += maxInSlice) {
    if (start > 0) await turn();
    const some = names.slice(start, start + maxInSlice);
    const last = some.at(-1) ?? '';
    const length = Math.max(8, 2 ** Math.ceil(Math.log2(some.length)));
    await read([...some, ...Array.from({ length: length - some.length }, () => last)]);
  }
}
