import { Conflict, InvalidInput, type RevocationReasonName, UpstreamFailed } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { type CertificateRow, getCertificate } from '../certificates/certificates.repository.js';
import { leafEndOf } from '../certificates/in-use.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { jobCallerOf } from '../issuance/jobs/job-audit.js';
import {
  getProvider,
  lockProviderForShare,
  type ProviderRow,
  providerNotFound,
} from '../providers/providers.repository.js';
import { type PendingRevocationRow, storePendingRevocation } from './pending-revocations.repository.js';
import { obstacleToRevocation, revocationText } from './revocation-rules.js';
import {
  askCa,
  giveUpRevocation,
  putOffRevocation,
  type RevocationDeps,
  settleRevoked,
} from './settle-revocation.service.js';

/** Certificate to revoke, and the reason. */
export interface RevocationInput extends FqdnPlace {
  readonly certId: string;
  readonly reason: RevocationReasonName;
}

// longer than the CA is given to answer a call
const ownTurnMs = 180_000;

/**
 * Revokes a certificate with the CA that issued it; returns it is then stored. The request is on disk before the
 * CA is asked, so that `finishRevocations` completes it when this process dies or the CA does not answer. Throws
 * NotFound when space, FQDN or certificate is not there; Conflict `already_revoked`, also when the CA had revoked it
 * before anyone asked here; InvalidInput `cannot_be_revoked` with what to do; UpstreamFailed when the CA does not
 * answer.
 */
export async function revokeCertificate(
  deps: RevocationDeps,
  caller: Caller,
  input: RevocationInput,
): Promise<CertificateRow> {
  requireLevel(caller, input.spaceId, 'FULL_ACCESS');
  return revokePermitted(deps, caller, input);
}

/** Revokes a certificate for a caller whose right has been judged; as revokeCertificate apart from that. */
export async function revokePermitted(
  deps: RevocationDeps,
  caller: Caller,
  input: RevocationInput,
): Promise<CertificateRow> {
  const found = await deps.db.read((tx) => findRevocable(tx, deps, input));
  // a provider that cannot be opened says so before anything is stored
  deps.opener.open(found.provider);
  const { certificate, provider, pending, isRepeat } = await deps.db.transaction((tx) =>
    begin(tx, deps, caller, input),
  );
  const outcome = await askCa(deps, provider, pending).catch(async (error: unknown) => {
    if (!(error instanceof UpstreamFailed)) throw error;
    const next = await putOffRevocation(deps, pending, provider, error.message);
    const message = `${error.message}; the revocation is stored and asked for again from ${next.toISOString()} on`;
    throw new UpstreamFailed(message, { timedOut: error.kind === 'upstream_timeout', cause: error });
  });
  if (outcome.status === 'refused') {
    await giveUpRevocation(deps, pending, provider, outcome.message);
    throw cannotBeRevoked(outcome.message);
  }
  const settled = await settleRevoked(deps, pending, provider, outcome);
  const now = deps.clock.now();
  const revoked = settled.certificate ?? { ...certificate, revokedAt: now, revocationReason: input.reason };
  // what an earlier call began is what this one asked for
  const isOurs = outcome.status === 'revoked' || (isRepeat && !settled.isStoredBefore);
  if (isOurs) return revoked;
  throw alreadyRevoked(revocationText(revoked.revokedAt ?? now, revoked.revocationReason));
}

interface Revocable {
  readonly fqdn: FqdnRow;
  readonly certificate: CertificateRow;
  readonly provider: ProviderRow;
}

async function findRevocable(
  tx: Tx,
  { clock }: RevocationDeps,
  { spaceId, fqdnId, certId }: RevocationInput,
): Promise<Revocable> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const certificate = await getCertificate(tx, fqdn.id, certId);
  const obstacle = obstacleToRevocation({ ...certificate, expiresAt: leafEndOf(certificate) }, clock.now());
  if (obstacle?.code === 'already_revoked') throw alreadyRevoked(obstacle.message);
  if (obstacle !== undefined || certificate.providerId === null) {
    throw cannotBeRevoked(obstacle?.message ?? 'the certificate has no provider');
  }
  return { fqdn, certificate, provider: await getProvider(tx, certificate.providerId) };
}

/** Stores what the CA is about to be asked; `isRepeat` when an earlier call did that already. */
async function begin(tx: Tx, deps: RevocationDeps, caller: Caller, input: RevocationInput) {
  await lockFqdn(tx, input.spaceId, input.fqdnId);
  const { fqdn, certificate, provider } = await findRevocable(tx, deps, input);
  if ((await lockProviderForShare(tx, provider.id)) === undefined) throw providerNotFound();
  const { id, pem, serialNumber, spkiSha256 } = certificate;
  const askedAt = deps.clock.now();
  const pending: PendingRevocationRow = {
    id,
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    fqdn: fqdn.fqdn,
    providerId: provider.id,
    pem,
    serialNumber,
    spkiSha256,
    expiresAt: leafEndOf(certificate),
    reason: input.reason,
    caller: jobCallerOf(caller),
    askedAt,
    attempts: 0,
    dueAt: new Date(askedAt.getTime() + ownTurnMs),
  };
  return { certificate, provider, pending, isRepeat: await storePendingRevocation(tx, pending) };
}

function alreadyRevoked(message: string): Conflict {
  return new Conflict(message, { code: 'already_revoked', title: 'Certificate is already revoked' });
}

function cannotBeRevoked(message: string): InvalidInput {
  return new InvalidInput(message, { code: 'cannot_be_revoked', title: 'Certificate cannot be revoked' });
}
