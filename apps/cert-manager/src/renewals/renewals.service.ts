import { InvalidInput, NotFound, type RenewalStatus } from '@certloop/contracts';
import { type Database, type ListPage, type ListWindow, mapPage, type Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { canOn, type Level, levelOn, readableSpaces, requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { findCertificate, findNewestCertificate } from '../certificates/certificates.repository.js';
import { findFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import { lockProviderForShare } from '../providers/providers.repository.js';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { newRenewal } from './new-renewal.repository.js';
import { listProviderQueues, type ProviderQueue } from './queue/provider-queues.service.js';
import {
  type ListedRenewal,
  listRenewalErrors,
  listRenewalNames,
  type RenewalNames,
  readRenewalPage,
} from './renewal-list.repository.js';
import { insertRenewal, type RenewalRow } from './renewals.repository.js';

export interface RenewalsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly opener: ProviderOpener;
  /** Triggers a run of the queue, or another one after the running one, without waiting for it. */
  readonly triggerRun: () => void;
}

/** An entry, with names and the caller's level if requested. */
export type NamedRenewal = ListedRenewal & {
  readonly names?: RenewalSurroundings | undefined;
};

/** What is listed beside an entry if requested: names, the caller's level, and why the attempt before failed. */
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
  const scope = scopeOf(caller, spaceId);
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

function scopeOf(caller: Caller, spaceId: string | undefined): SpaceScope {
  if (spaceId === undefined) return readableSpaces(caller);
  return canOn(caller, spaceId, 'READ') ? [spaceId] : [];
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

/** A renewal to queue for a test, whether the FQDN is renewed automatically or not. */
export interface NewTestRenewal {
  readonly certificateId: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  /** 0 to 525 600. */
  readonly minutesFromNow: number;
}

/**
 * Queues a renewal at a time from now. Throws Forbidden, and InvalidInput with the id that is unknown or does not
 * belong to the others.
 */
export async function createTestRenewal(
  { db, clock }: RenewalsDeps,
  caller: Caller,
  input: NewTestRenewal,
): Promise<RenewalRow> {
  requireAdmin(caller);
  const { certificateId, fqdnId, spaceId, minutesFromNow } = input;
  const now = clock.now();
  const scheduledAt = new Date(now.getTime() + minutesFromNow * 60_000);
  return db.transaction(async (tx) => {
    const providerId = await judgeTest(tx, input);
    const subject = { fqdnId, spaceId, certificateId, providerId, scheduledAt };
    const entry = newRenewal({ ...subject, isTest: true }, now);
    await insertRenewal(tx, entry);
    const details = { fqdnId, certificateId, scheduledAt: scheduledAt.toISOString(), isTest: true };
    const act = { action: 'queue.create', resourceType: 'renewal', resourceId: entry.id } as const;
    await recordAudit(tx, caller, { ...act, spaceId, details }, now);
    return entry;
  });
}

/** Provider of the test: that of the newest certificate. Throws InvalidInput. */
async function judgeTest(tx: Tx, { certificateId, fqdnId, spaceId }: NewTestRenewal): Promise<string> {
  const certificate = await findCertificate(tx, certificateId);
  if (certificate === undefined) throw mismatch('certificateId', 'names no certificate');
  if (certificate.fqdnId !== fqdnId) throw mismatch('fqdnId', 'is not the FQDN of the certificate');
  const fqdn = await findFqdn(tx, fqdnId);
  if (fqdn?.spaceId !== spaceId) throw mismatch('spaceId', 'is not the space of the FQDN');
  // locked, since another call may be deleting it
  await lockFqdn(tx, spaceId, fqdnId).catch(goneAsMismatch);
  const newest = await findNewestCertificate(tx, fqdnId);
  if (newest?.providerId == null || (await lockProviderForShare(tx, newest.providerId)) === undefined)
    throw mismatch('certificateId', 'was issued by no provider that can be asked');
  return newest.providerId;
}

function goneAsMismatch(error: unknown): never {
  if (error instanceof NotFound) throw mismatch('fqdnId', 'names an FQDN that was deleted');
  throw error;
}

function mismatch(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, {
    code: 'renewal_inconsistent',
    title: 'The ids do not belong together',
    fields: [{ path, code: 'mismatch', message }],
  });
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
