import type { RenewalStatus } from '@certloop/contracts';
import { type ListPage, type ListWindow, readListPage, type Tx } from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { type RenewalRow, renewalQueue } from './renewals.repository.js';

/** An entry as lists read it. */
export type ListedRenewal = Omit<
  RenewalRow,
  'journal' | 'adviceDueAt' | 'windowStart' | 'windowEnd' | 'explanationUrl'
>;

const { journal, adviceDueAt, windowStart, windowEnd, explanationUrl, ...columns } = renewalQueue.columns;

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
