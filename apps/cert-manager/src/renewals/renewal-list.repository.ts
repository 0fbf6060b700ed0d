import type { RenewalStatus } from '@certloop/contracts';
import {
  column,
  type ListPage,
  type ListWindow,
  placeholders,
  querySql,
  readListPage,
  type Tx,
} from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { type RenewalRow, renewalQueue } from './renewals.repository.js';

/** An entry as lists read it. */
export type ListedRenewal = Omit<
  RenewalRow,
  'journal' | 'issuanceId' | 'adviceDueAt' | 'windowStart' | 'windowEnd' | 'explanationUrl'
>;

/** Names of what an entry is about. */
export interface RenewalNames {
  readonly fqdn: string;
  readonly spaceName: string;
}

// a statement takes a bounded number of values
const maxTogether = 500;

/** Names of the FQDNs and their spaces, by the id of the FQDN. */
export async function listRenewalNames(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<Map<string, RenewalNames>> {
  const names = new Map<string, RenewalNames>();
  const columns = { id: column.uuid(), fqdn: column.text(), spaceName: column.text() };
  for (const part of partsOf(fqdnIds)) {
    const text = `select f.id, f.fqdn, s.name as space_name from fqdns f join spaces s on s.id = f.space_id
      where f.id in (${placeholders(part.length)})`;
    for (const { id, ...found } of await querySql(tx, columns, text, part)) names.set(id, found);
  }
  return names;
}

/** Why the entries failed, by their ids. */
export async function listRenewalErrors(tx: Tx, entryIds: readonly string[]): Promise<Map<string, string>> {
  const errors = new Map<string, string>();
  const columns = { id: column.uuid(), reason: column.text() };
  for (const part of partsOf(entryIds)) {
    const text = `select id, reason from ${renewalQueue.name}
      where reason is not null and id in (${placeholders(part.length)})`;
    for (const { id, reason } of await querySql(tx, columns, text, part)) errors.set(id, reason);
  }
  return errors;
}

/** The ids, each once, in parts that a statement takes. */
function partsOf(ids: readonly string[]): string[][] {
  const all = [...new Set(ids)];
  const count = Math.ceil(all.length / maxTogether);
  return Array.from({ length: count }, (_, part) => all.slice(part * maxTogether, (part + 1) * maxTogether));
}

const { journal, issuanceId, adviceDueAt, windowStart, windowEnd, explanationUrl, ...columns } =
  renewalQueue.columns;

/** Entries of the spaces, by the moment they run. */
export function readRenewalPage(
  tx: Tx,
  { scope, status }: { readonly scope: SpaceScope; readonly status?: RenewalStatus | undefined },
  window: ListWindow,
): Promise<ListPage<ListedRenewal>> {
  const where = {
    ...(scope !== 'all' && { space_id: scope }),
    ...(status !== undefined && { status: [status] }),
  };
  const table = { name: renewalQueue.name, columns };
  return readListPage(tx, { table, by: 'scheduledAt', where, groupedBy: 'space_id' }, window);
}
