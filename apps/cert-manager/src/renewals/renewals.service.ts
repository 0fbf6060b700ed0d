import type { RenewalStatus } from '@certloop/contracts';
import { type ListPage, type ListWindow, mapPage } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { type Level, levelOn, readableSpaces, requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import { listProviderQueues, type ProviderQueue } from './queue/provider-queues.service.js';
import {
  type ListedRenewal,
  listRenewalErrors,
  listRenewalNames,
  type RenewalNames,
  readRenewalPage,
} from './renewal-list.repository.js';

export interface RenewalsDeps extends DbDeps {
  readonly opener: ProviderOpener;
  /** Triggers a run of the queue, or another one after the running one, without waiting for it. */
  readonly triggerRun: () => void;
}

/** An entry, with names and the caller's level if requested. */
export type NamedRenewal = ListedRenewal & {
  readonly names?: RenewalSurroundings | undefined;
};

/** Facts that are listed with an entry if requested: names, the caller's level, and why the attempt before failed. */
type RenewalSurroundings = RenewalNames & {
  readonly level: Level | undefined;
  readonly lastError: string | undefined;
};

/** Entries of the spaces that the caller may read, by execution time. */
export async function listRenewals(
  { db, clock, opener }: RenewalsDeps,
  caller: Caller,
  filter: ListWindow & {
    readonly status?: RenewalStatus | undefined;
    readonly spaceId?: string | undefined;
    /** Whether the entries have the names of their FQDNs and spaces, and the error of the attempt before. */
    readonly include?: 'fqdn' | undefined;
  },
): Promise<ListPage<NamedRenewal>> {
  const { status, spaceId, include } = filter;
  const scope = readableSpaces(caller, spaceId);
  return db.longRead(async (tx) => {
    const page = await readRenewalPage(tx, { scope, status }, filter);
    const queues = await listProviderQueues(tx, opener);
    const now = clock.now();
    // a whole list is long: no row is copied that is shown as it is
    if (include === undefined) return mapPage(page, (row) => withObstacle(row, queues, now));
    const names = await listRenewalNames(
      tx,
      page.rows.map(({ fqdnId }) => fqdnId),
    );
    const retried = page.rows.flatMap(({ retryOf }) => retryOf ?? []);
    const errors = await listRenewalErrors(tx, retried);
    return mapPage(page, (row) => {
      const found = names.get(row.fqdnId);
      const level = levelOn(caller, row.spaceId);
      const lastError = errors.get(row.retryOf ?? '');
      return { ...withObstacle(row, queues, now), names: found && { ...found, level, lastError } };
    });
  });
}

/** Adds the reason to a due entry that waits only for its provider. */
export function withObstacle<Row extends ListedRenewal>(
  row: Row,
  queues: readonly ProviderQueue[],
  now: Date,
): Row {
  if (row.status !== 'pending' || row.scheduledAt > now) return row;
  const obstacle = queues.find(({ provider }) => provider.id === row.providerId)?.obstacle;
  return obstacle === undefined ? row : { ...row, reason: obstacle };
}

/** Triggers the queue now. Throws Forbidden. */
export async function triggerRenewals(
  { db, clock, triggerRun }: RenewalsDeps,
  caller: Caller,
): Promise<void> {
  requireAdmin(caller);
  const entry = { action: 'queue.trigger', resourceType: 'renewal' } as const;
  await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
  triggerRun();
}
