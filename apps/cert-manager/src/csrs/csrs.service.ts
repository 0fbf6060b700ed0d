import type { ListPage, Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireFullAccess, requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { isShortPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { type CsrRow, csrNotFound, deleteEveryCsr, findLatestCsr, readCsrPage } from './csrs.repository.js';

/** The FQDN with its CSRs in the order of their storing. Throws NotFound. */
export async function listCsrs(
  { db }: DbDeps,
  caller: Caller,
  { spaceId, fqdnId, window }: FqdnPlace & { readonly window: StoredWindow },
): Promise<{ readonly fqdn: FqdnRow; readonly page: ListPage<CsrRow> }> {
  requireLevel(caller, spaceId, 'READ');
  const fqdn = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const read = isShortPage(window) ? db.read : db.longRead;
  const page = await read((tx) => readCsrPage(tx, fqdnId, window));
  return { fqdn, page };
}

/** The FQDN with the CSR that came last. Throws NotFound, also when there is no CSR. */
export async function getLatestCsr(
  { db }: DbDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<{ readonly fqdn: FqdnRow; readonly csr: CsrRow }> {
  requireLevel(caller, spaceId, 'READ');
  return db.read(async (tx) => {
    const fqdn = await getFqdn(tx, spaceId, fqdnId);
    const csr = await findLatestCsr(tx, fqdnId);
    if (csr === undefined) {
      throw csrNotFound('no CSR is stored for this FQDN');
    }
    return { fqdn, csr };
  });
}

export interface ChangeCsrsDeps extends DbDeps {
  readonly emit: CsrEvents;
}

/** Events of CSRs; `changes/reactions.service.ts` lists what follows each of them. */
export interface CsrEvents {
  /** The FQDN, which is locked, has a newer CSR. */
  csrStored(tx: Tx, event: { readonly fqdn: FqdnRow }): Promise<void>;
  /** All CSRs of all FQDNs were deleted. */
  csrsDeleted(tx: Tx, event: { readonly caller: Caller }): Promise<void>;
}

/** Deletes the CSRs of all spaces and returns how many there were. Throws Forbidden. */
export async function deleteAllCsrs({ db, clock, emit }: ChangeCsrsDeps, caller: Caller): Promise<number> {
  requireFullAccess(caller);
  return db.longTransaction(async (tx) => {
    const deletedCount = await deleteEveryCsr(tx);
    const entry = { action: 'csr.deleteAll', resourceType: 'csr', details: { deletedCount } } as const;
    await recordAudit(tx, caller, entry, clock.now());
    await emit.csrsDeleted(tx, { caller });
    return deletedCount;
  });
}
