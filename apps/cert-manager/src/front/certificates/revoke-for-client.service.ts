import { AcmeProblem, Conflict, InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { type Certificate, exportSpki, publicKeysEqual, type RevocationReason } from '@certloop/crypto';
import { findAcmeClient } from '../../acme-clients/acme-clients.repository.js';
import { callerOfClient, type FrontDeps, type FrontRequest } from '../front-deps.service.js';
import type { FrontCertificate } from '../front-records.service.js';

/** Whether the signer may revoke the certificate: an account of the client that ordered it, or the certificate's own key. */
export function mayRevoke(
  { account, key }: FrontRequest,
  { order }: FrontCertificate,
  parsed: Certificate,
): boolean {
  if (account === undefined) return publicKeysEqual(parsed.spkiDer, exportSpki(key));
  return account.row.clientId === order.clientId;
}

/**
 * Revokes a certificate once its CA has. Throws `alreadyRevoked`, `unauthorized` if its CA cannot revoke it, and
 * `rateLimited` if its CA does not answer; the revocation is stored then and asked for again.
 */
export async function revokeForClient(
  { db, nonces, revoke }: FrontDeps,
  request: FrontRequest,
  { order, stored }: FrontCertificate,
  reason: RevocationReason,
): Promise<void> {
  // before the CA is asked: the same request must not come again
  await nonces.use(request);
  const client = await db.read((tx) => findAcmeClient(tx, order.clientId));
  const caller = callerOfClient(client ?? { id: order.clientId, name: 'deleted client' }, request);
  try {
    await revoke(caller, stored, reason);
  } catch (error) {
    if (error instanceof Conflict && error.code === 'already_revoked')
      throw new AcmeProblem('alreadyRevoked', error.message, { cause: error });
    if (error instanceof InvalidInput) throw new AcmeProblem('unauthorized', error.message, { cause: error });
    if (error instanceof UpstreamFailed) {
      const headers = { 'Retry-After': '60' };
      throw new AcmeProblem('rateLimited', error.message, { cause: error, headers });
    }
    throw error;
  }
}
