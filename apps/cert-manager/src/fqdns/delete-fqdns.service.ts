import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireFullAccess, requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { changeSpaceSize } from '../spaces/space-sizes.repository.js';
import { spaceExists } from '../spaces/spaces.repository.js';
import { deleteEveryFqdn, deleteFqdnRow, deleteFqdnsOfSpace } from './fqdn-changes.repository.js';
import { fqdnNotFound, getFqdn } from './fqdns.repository.js';
import { type ChangeFqdnDeps, type FqdnPlace, fqdnAudit, readableSpaceId } from './fqdns.service.js';

export interface DeleteFqdnsDeps extends ChangeFqdnDeps {
  /** Fingerprints of what goes with an FQDN, by kind; the audit log keeps them. */
  readonly fingerprintsUnder: (
    tx: Tx,
    fqdnId: string,
  ) => Promise<Readonly<Record<string, readonly string[]>>>;
}

/** Deletes an FQDN with its CSRs and certificates. Throws NotFound and Forbidden. */
export async function deleteFqdn(
  { db, clock, fingerprintsUnder, emit }: DeleteFqdnsDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<void> {
  requireLevel(caller, spaceId, 'FULL_ACCESS');
  // years of certificates may go with it
  await db.longTransaction(async (tx) => {
    const fqdn = await getFqdn(tx, spaceId, fqdnId);
    const fingerprints = await fingerprintsUnder(tx, fqdnId);
    if (!(await deleteFqdnRow(tx, spaceId, fqdnId))) throw fqdnNotFound();
    await emit.fqdnDeleted(tx, { scope: { fqdnId } });
    await recordAudit(tx, caller, fqdnAudit('fqdn.delete', fqdn, { fingerprints }), clock.now());
    await changeSpaceSize(tx, spaceId, -1);
  });
}

/**
 * Deletes the FQDNs of a space and returns how many there were: none for whatever names no space that the
 * caller may read. Throws Forbidden.
 */
export async function deleteSpaceFqdns(
  { db, clock, emit }: DeleteFqdnsDeps,
  caller: Caller,
  text: string,
): Promise<number> {
  const spaceId = readableSpaceId(caller, text);
  if (spaceId === undefined) return 0;
  return db.longTransaction(async (tx) => {
    // a caller who may read every space may also name one that does not exist
    if (!(await spaceExists(tx, spaceId))) return 0;
    requireLevel(caller, spaceId, 'FULL_ACCESS');
    const deletedCount = await deleteFqdnsOfSpace(tx, spaceId);
    await emit.fqdnDeleted(tx, { scope: { spaceId } });
    const details = { deletedCount };
    const entry = { action: 'fqdn.deleteAll', resourceType: 'space', resourceId: spaceId } as const;
    await recordAudit(tx, caller, { ...entry, spaceId, details }, clock.now());
    await changeSpaceSize(tx, spaceId, -deletedCount);
    return deletedCount;
  });
}

/** Deletes the FQDNs of all spaces and returns how many there were. Throws Forbidden. */
export async function deleteAllFqdns({ db, clock, emit }: DeleteFqdnsDeps, caller: Caller): Promise<number> {
  requireFullAccess(caller);
  return db.longTransaction(async (tx) => {
    const deletedCount = await deleteEveryFqdn(tx);
    await emit.fqdnDeleted(tx, { scope: 'all' });
    const details = { deletedCount };
    await recordAudit(tx, caller, { action: 'fqdn.deleteAll', resourceType: 'fqdn', details }, clock.now());
    return deletedCount;
  });
}
