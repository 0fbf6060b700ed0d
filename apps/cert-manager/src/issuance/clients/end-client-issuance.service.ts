import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findNewestOfLineage } from '../../certificates/newest-certificates.repository.js';
import { type CertificateOfClient, ofNoClient } from '../../certificates/store-certificates.service.js';
import { readableText, type SignRefusal } from '../../providers/provider.js';
import type { IssuanceRow } from '../signing/issuances.repository.js';

/** Why an order of an ACME client got no certificate. */
export interface ClientProblem {
  /** A sentence for people. */
  readonly reason: string;
  /** Stable machine key, such as `name_not_allowed`. */
  readonly code?: string | undefined;
  /** Type of the problem as the provider spells it. */
  readonly problemType?: string | undefined;
  /** Asking again changes nothing until someone does something about it. */
  readonly isPermanent: boolean;
  /** The provider says so because of its rate limits. */
  readonly isRateLimited: boolean;
  /** A further order before this moment has the same end. */
  readonly retryAt?: Date | undefined;
}

/** The end of the issuance of an order. */
export type ClientIssuanceEnd = {
  /** As it was in its last moment; that of a provider without orders is deleted. */
  readonly issuance: IssuanceRow;
} & ({ readonly certificate: CertificateRow } | { readonly problem: ClientProblem });

/** Events of issuances of ACME clients; `changes/reactions.service.ts` lists what follows each of them. */
export interface ClientIssuanceEvents {
  /** The issuance of an order has ended, in the transaction that stores the certificate or the refusal; its FQDN is locked. */
  clientIssuanceEnded(tx: Tx, event: ClientIssuanceEnd): Promise<void>;
}

/** The refusal as the client reads it; `isOfCa` unless the CA must not be asked. */
export function clientProblemOf(
  { reason, code, problemType, isPermanent, isRateLimited = false, notBefore }: SignRefusal,
  isOfCa: boolean,
): ClientProblem {
  return {
    reason: readableText(reason),
    code,
    problemType,
    isPermanent: isPermanent === true || !isOfCa,
    isRateLimited,
    retryAt: notBefore,
  };
}

// clients ask for their order again for about as long
const patienceMs = 60_000;
const pauseMs = 5000;

/**
 * When the issuance of an order is tried again, as its CA can do nothing for now; undefined if it ends, since its client would
 * wait too long, or the CA limits the rate: clients learn that.
 */
export function retryForClient(
  { cause, createdAt }: Pick<IssuanceRow, 'cause' | 'createdAt'>,
  { isPermanent, isRateLimited, isValidation, unaccepted, isWaiting, notBefore }: SignRefusal,
  now: Date,
): Date | undefined {
  const isPassing = !isPermanent && !isRateLimited && !isValidation && !isWaiting && unaccepted === undefined;
  if (cause !== 'client' || !isPassing) return undefined;
  const at = Math.max(now.getTime() + pauseMs, notBefore?.getTime() ?? 0);
  return at - createdAt.getTime() > patienceMs ? undefined : new Date(at);
}

/** The columns of the certificate of an issuance that name the client. */
export function certificateOfClient({ clientId, accountId, lineage }: IssuanceRow): CertificateOfClient {
  return clientId === null ? ofNoClient : { acmeClientId: clientId, acmeAccountId: accountId, lineage };
}

/** Whether a machine waits for nothing yet: the client gets its first certificate of the lineage. */
export async function isFirstOfLineage(tx: Tx, { lineage }: IssuanceRow): Promise<boolean> {
  return lineage !== null && (await findNewestOfLineage(tx, lineage)) === undefined;
}
