import { InvalidInput } from '@certloop/contracts';
import { type Database, type ListPage, type ListWindow, readList, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { findFqdn } from '../../fqdns/fqdns.repository.js';
import { type JobFilter, type ListedJob, readJobPage } from './issuance-jobs.repository.js';

/** Jobs of an FQDN or a space, the newest first; none of a space that the caller may not read. Throws InvalidInput. */
export async function listJobs(
  { db }: { readonly db: Database },
  caller: Caller,
  { fqdnId, spaceId, status, ...window }: JobFilter & ListWindow,
): Promise<ListPage<ListedJob>> {
  if (fqdnId === undefined && spaceId === undefined) throw needsPlace();
  return readList(db, window, async (tx, part) => {
    if (!(await isReadable(tx, caller, { fqdnId, spaceId }))) return { rows: [], total: 0, next: undefined };
    return readJobPage(tx, { fqdnId, spaceId, status }, part);
  });
}

async function isReadable(tx: Tx, caller: Caller, { fqdnId, spaceId }: JobFilter): Promise<boolean> {
  if (spaceId !== undefined && !canOn(caller, spaceId, 'READ')) return false;
  if (fqdnId === undefined) return true;
  const fqdn = await findFqdn(tx, fqdnId);
  return fqdn !== undefined && canOn(caller, fqdn.spaceId, 'READ');
}

function needsPlace(): InvalidInput {
  const message = 'is required if spaceId is absent: name an FQDN or a space';
  return new InvalidInput(`fqdnId: ${message}`, {
    fields: [{ path: 'query.fqdnId', code: 'required', message }],
  });
}
