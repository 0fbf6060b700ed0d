import { afterCommit, type Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import type { DbDeps } from '../../db-deps.js';
import type { Changes } from '../../fqdns/fqdns.service.js';
import { currentCaller } from '../../users/callers/current-caller.service.js';
import type { CertificateRow } from '../certificates.repository.js';
import { listNewestVersions } from '../newest-certificates.repository.js';
import type { StoredCertificate } from '../store-certificates.service.js';
import { type DeliveredFile, deliverCertificate, type WantedFile } from './deliver-certificate.service.js';
import type { CertificateVersion, HeldRequests } from './held-requests.store.js';

export interface AwaitDeps extends DbDeps {
  readonly held: HeldRequests;
}

/** The newest certificate of an FQDN, for which a caller may wait. */
export interface AwaitedFile extends Omit<WantedFile, 'certId'> {
  /** Seconds to wait for a newer one if the caller has the newest one. */
  readonly wait: number;
}

export interface AwaitedDelivery extends DeliveredFile {
  /** Seconds until the caller may ask again, if there was no room for its request. */
  readonly retryAfter?: number;
}

// so that many who were refused together spread over the time in which others leave
const retryAfterSeconds = 30;

/**
 * Delivers the newest certificate as `deliverCertificate` does. A request of a caller who has it already is held until
 * there is a newer one; what the caller may do is then read again. Rejects with the reason of the signal when the caller
 * has gone.
 */
export async function awaitCertificate(
  deps: AwaitDeps,
  caller: Caller,
  { wait, ...wanted }: AwaitedFile,
  signal: AbortSignal,
): Promise<AwaitedDelivery> {
  const { db, clock, held } = deps;
  const first = await deliverCertificate(deps, caller, wanted);
  if (first.isNews || wait === 0) return first;
  const until = new Date(clock.now().getTime() + wait * 1000);
  const { fqdnId } = wanted;
  const end = await held.hold({ fqdnId, version: versionOf(first.certificate), until, signal });
  if (end === 'full') return { ...first, retryAfter: retryAfterSeconds };
  if (end === 'over') return first;
  const now = await db.read((tx) => currentCaller(tx, caller, clock.now()));
  return deliverCertificate(deps, now, wanted);
}

/** One round for all held requests: ends those whose time is over, and those whose FQDN has a newer certificate. */
export async function serveHeld({ db, clock, held }: AwaitDeps): Promise<void> {
  held.release(clock.now());
  const ids = held.fqdnIds();
  if (ids.length === 0) return;
  const rows = await db.read((tx) => listNewestVersions(tx, ids));
  const found = new Map(rows.map((row) => [row.fqdnId, versionOf(row)]));
  held.compare(new Map<string, CertificateVersion>(ids.map((id) => [id, found.get(id)])));
}

/** Reaction to new certificates: ends the requests of this process that wait for them, after the commit. */
export async function wakeHeld(
  tx: Tx,
  { changes }: Changes<StoredCertificate>,
  { held }: { readonly held?: HeldRequests },
): Promise<void> {
  if (held !== undefined) afterCommit(tx, () => held.wake(changes.map(({ fqdn }) => fqdn.id)));
}

function versionOf({
  id,
  expiresAt,
  leafExpiresAt,
}: Pick<CertificateRow, 'id' | 'expiresAt' | 'leafExpiresAt'>): CertificateVersion {
  return `${id} ${expiresAt.getTime()} ${leafExpiresAt?.getTime() ?? ''}`;
}
