import { newRowId, type Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { findNewestOfLineage } from '../../certificates/newest-certificates.repository.js';
import { type CsrRow, insertCsr } from '../../csrs/csrs.repository.js';
import type { ValidatedCsr } from '../../csrs/validate-csr.service.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { orderSubject } from '../../judging/csr-rules.js';
import { kindOf } from '../../providers/provider-kinds.js';
import {
  lockProviderForShare,
  type ProviderRow,
  providerNotFound,
} from '../../providers/providers.repository.js';
import { jobCallerOf } from '../jobs/job-audit.js';
import { directIssuance } from '../signing/begin-signing.service.js';
import { idempotencyKeyOf } from '../signing/idempotency-key.js';
import { type IssuanceRow, updateIssuance } from '../signing/issuances.repository.js';
import { endUnsent, findSameCsr, insertClientIssuance, lockUnsent } from './client-issuances.repository.js';

/** An order of an ACME client that is finalized. */
export interface FinalizedOrder {
  readonly id: string;
  readonly clientId: string;
  readonly accountId: string;
  /** SHA-256 of client, account, identifiers and kind of key, hex. */
  readonly lineage: string;
}

/** The request of an order: its CSR has been judged, and its names are those of the order. */
export interface ClientRequest {
  /** The client, with the address and the user agent of its request. */
  readonly caller: Caller;
  readonly order: FinalizedOrder;
  readonly fqdn: Pick<FqdnRow, 'id' | 'spaceId'>;
  readonly provider: ProviderRow;
  readonly csr: ValidatedCsr;
  /** FQDN and provider as they are, if this transaction has locked them, in this order. */
  readonly locked?: LockedPlace;
}

interface LockedPlace {
  readonly fqdn: FqdnRow;
  readonly provider: ProviderRow;
}

export interface BegunClientIssuance {
  /** The issuance of the order: the caller begins it by the runner after the commit. */
  readonly issuance: IssuanceRow;
  readonly csr: CsrRow;
  /** Orders of the lineage whose CSR was not sent: they get no certificate any more, and their clients are to learn it. */
  readonly superseded: readonly string[];
}

/** Why an order gets no certificate whose place a later one of its lineage has taken. */
export const supersededReason =
  'a later order of this account for the same identifiers was finalized before the CSR of this one was sent to the CA';

/**
 * Records the issuance of an order of an ACME client. If an earlier order of the lineage has an issuance whose CSR was not
 * sent, that becomes the issuance of this one, with its CSR: its order with the CA goes on. Otherwise the issuance is queued
 * behind those of the FQDN. Locks the FQDN first, unless it is locked. Throws NotFound if FQDN or provider was deleted, and InvalidInput for a
 * CSR that ACME CAs refuse.
 */
export async function beginClientIssuance(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  request: ClientRequest,
): Promise<BegunClientIssuance> {
  const { order } = request;
  const { fqdn, provider } = request.locked ?? (await lockPlace(tx, request));
  const isOrder = kindOf(provider).issuance === 'order';
  if (isOrder) orderSubject(request.csr.csrPem);
  const now = clock.now();
  const csr = await storeCsr(tx, request, fqdn, now);
  const unsent = await lockUnsent(tx, { lineage: order.lineage });
  const replaced = unsent.find((one) => one.providerId === provider.id && one.fqdnId === fqdn.id);
  // the provider of the FQDN or of the client was changed since
  await endUnsent(
    tx,
    unsent.filter((one) => one !== replaced),
    supersededReason,
    now,
  );
  const superseded = unsent.flatMap(({ orderId }) =>
    orderId === null || orderId === order.id ? [] : [orderId],
  );
  const columns = await columnsOf(tx, request, fqdn, csr);
  if (replaced === undefined) {
    const queued = { state: 'queued', attempt: 0, nextAt: now, isConfirmed: false } as const;
    const issuance = { ...directIssuance, ...columns, ...queued, id: newRowId(now), isOrder, createdAt: now };
    await insertClientIssuance(tx, issuance);
    return { issuance, csr, superseded };
  }
  // its client waits from now on
  const change = { ...columns, createdAt: now };
  if (!(await updateIssuance(tx, replaced, change))) throw new Error('a locked issuance has changed');
  return { issuance: { ...replaced, ...change }, csr, superseded };
}

async function lockPlace(tx: Tx, request: ClientRequest): Promise<LockedPlace> {
  const fqdn = await lockFqdn(tx, request.fqdn.spaceId, request.fqdn.id);
  const provider = await lockProviderForShare(tx, request.provider.id);
  if (provider === undefined) throw providerNotFound();
  return { fqdn, provider };
}

/** Stores the CSR of an order; one that the client has sent before is the same row, so that a CA knows the request again. */
async function storeCsr(
  tx: Tx,
  { csr, order: { clientId } }: ClientRequest,
  { id: fqdnId }: FqdnRow,
  now: Date,
): Promise<CsrRow> {
  const same = await findSameCsr(tx, { fqdnId, clientId, ...csr });
  return same ?? insertCsr(tx, { id: newRowId(now), fqdnId, ...csr, createdAt: now }, clientId);
}

/** The columns in which issuances of the same lineage differ. */
async function columnsOf(tx: Tx, { caller, order, provider }: ClientRequest, fqdn: FqdnRow, csr: CsrRow) {
  const { clientId, accountId, lineage } = order;
  const newest = await findNewestOfLineage(tx, lineage);
  return {
    fqdnId: fqdn.id,
    fqdn: fqdn.fqdn,
    spaceId: fqdn.spaceId,
    csrId: csr.id,
    spkiSha256: csr.spkiSha256,
    providerId: provider.id,
    cause: 'client' as const,
    idempotencyKey: idempotencyKeyOf({ fqdnId: fqdn.id, csrId: csr.id, newestId: newest?.id }),
    caller: jobCallerOf(caller),
    replacesId: newest?.revokedAt === null ? newest.id : null,
    orderId: order.id,
    clientId,
    accountId,
    lineage,
  };
}
