import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { isCsrSent } from '../../acme/orders/order-record.js';
import { recordAudit } from '../../audit/audit.service.js';
import { endsView } from '../../certificates/in-use.js';
import type { CertificateOfClient } from '../../certificates/store-certificates.service.js';
import type { DbDeps } from '../../db-deps.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import { describeLeaf } from '../../judging/issued-certificate.js';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import type { IssuedCertificate, OrderState, UnacceptedCertificate } from '../../providers/provider.js';
import type { ProviderRow } from '../../providers/providers.repository.js';

/** A certificate that a CA issued, and for what. */
interface Issued {
  readonly caller: Caller;
  readonly fqdn: Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>;
  readonly provider: Pick<ProviderRow, 'id' | 'name'>;
  readonly issued: IssuedCertificate;
  readonly ofClient?: CertificateOfClient;
  /** Called in the transaction of that entry. */
  readonly onLost?: (tx: Tx) => Promise<void>;
}

/**
 * Returns what `store` resolves with. When it rejects because the FQDN or the CSR was deleted in the meantime, the
 * audit log first gets an entry by which the certificate can be found and revoked at its CA.
 */
export async function orRecordLost<T>(
  { db, clock }: DbDeps,
  { caller, fqdn, provider, issued, ofClient, onLost }: Issued,
  store: () => Promise<T>,
): Promise<T> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof AppError && error.kind === 'not_found')) throw error;
    const facts = issued.facts ?? describeLeaf(issued.certificatePem);
    const { serialNumber, spkiSha256 } = facts;
    const details = {
      fqdn: fqdn.fqdn,
      fqdnId: fqdn.id,
      serial: serialNumber,
      spkiSha256,
      ...endsView(facts),
      provider: provider.name,
      providerId: provider.id,
      upstreamId: issued.upstreamId,
      ...(ofClient && { clientId: ofClient.acmeClientId, accountId: ofClient.acmeAccountId }),
      reason: `issued, but not stored: ${error.message}`,
    };
    const entry = {
      action: 'certificate.issue',
      outcome: 'failure',
      resourceType: 'fqdn',
      resourceId: fqdn.id,
      spaceId: fqdn.spaceId,
      details,
    } as const;
    await db.transaction(async (tx) => {
      await recordAudit(tx, caller, entry, clock.now());
      await onLost?.(tx);
    });
    throw error;
  }
}

/** The entry of the audit log on a certificate that a CA issued, or may have issued, and that is not stored. */
export function notAccepted(
  fqdn: Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>,
  provider: Pick<ProviderRow, 'id' | 'name'>,
  { serialNumber: serial, spkiSha256, upstreamId, reason }: UnacceptedCertificate,
) {
  const known = {
    ...(serial !== undefined && { serial }),
    ...(spkiSha256 !== undefined && { spkiSha256 }),
    ...(upstreamId != null && { upstreamId }),
  };
  const issued = serial === undefined ? 'may have been issued' : 'issued';
  return entryOn(fqdn, {
    ...known,
    provider: provider.name,
    providerId: provider.id,
    reason: `${issued}, but not stored: ${reason}`,
  });
}

/** Asks a CA once what an order led to that is to be dropped; undefined if it does not say, or issued nothing. */
export async function findDropped(
  opener: ProviderOpener,
  provider: ProviderRow,
  order: OrderState | null | undefined,
): Promise<Omit<UnacceptedCertificate, 'reason'> | undefined> {
  if (order == null || !isCsrSent(order)) return undefined;
  try {
    return await opener.open(provider).findIssued?.(order);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** The entry of the audit log on a certificate that a CA perhaps issued, and that is not stored, as the process died or the answer was lost. */
export function perhapsLost(
  fqdn: Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>,
  details: Readonly<Record<string, unknown>>,
  reason: string,
) {
  return entryOn(fqdn, {
    ...details,
    reason: `its process ended while the CA signed, or the answer was lost; a certificate may have been issued, but none is stored: ${reason}`,
  });
}

function entryOn(fqdn: Pick<FqdnRow, 'id' | 'spaceId' | 'fqdn'>, details: Readonly<Record<string, unknown>>) {
  return {
    action: 'certificate.issue',
    outcome: 'failure',
    resourceType: 'fqdn',
    resourceId: fqdn.id,
    spaceId: fqdn.spaceId,
    details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, ...details },
  } as const;
}
