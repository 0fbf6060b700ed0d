import { AppError, UpstreamFailed } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { recordAudit } from '../audit/audit.service.js';
import {
  type CertificateRow,
  findCertificate,
  updateCertificate,
} from '../certificates/certificates.repository.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, lockFqdns } from '../fqdns/fqdns.repository.js';
import { callerOfJob } from '../issuance/jobs/job-audit.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import type { RevokeOutcome } from '../providers/provider.js';
import type { ProviderRow } from '../providers/providers.repository.js';
import {
  deletePendingRevocation,
  type PendingRevocationRow,
  postponeRevocation,
} from './pending-revocations.repository.js';
import { nextRevocationTry } from './revocation-rules.js';

export interface RevocationDeps extends DbDeps {
  readonly logger: Logger;
  readonly opener: ProviderOpener;
  readonly emit: RevocationEvents;
}

/** Events of revocations; `changes/reactions.service.ts` lists what follows each of them. */
export interface RevocationEvents {
  /** The newest certificate of the FQDN was revoked. */
  certificateRevoked(tx: Tx, event: RevokedCertificate): Promise<void>;
  /** A certificate of the FQDN that a newer one has replaced was revoked. */
  replacedCertificateRevoked(tx: Tx, event: RevokedCertificate): Promise<void>;
}

/** A certificate that was stored as revoked. */
export interface RevokedCertificate {
  readonly caller: Caller;
  /** Locked. */
  readonly fqdn: FqdnRow;
  readonly certificate: CertificateRow;
}

/** A revocation that the CA has done, and the result. */
export interface SettledRevocation {
  /** As stored; undefined when the certificate was deleted in the meantime. */
  readonly certificate: CertificateRow | undefined;
  /** Another call stored it first. */
  readonly isStoredBefore: boolean;
}

/** Returns the request to a CA, or why it cannot be asked. Throws UpstreamFailed. */
export async function askCa(
  { opener }: RevocationDeps,
  provider: ProviderRow,
  {
    pem: certificatePem,
    serialNumber,
    reason,
  }: Pick<PendingRevocationRow, 'pem' | 'serialNumber' | 'reason'>,
): Promise<RevokeOutcome> {
  const { revoke } = opener.open(provider);
  if (revoke !== undefined) return revoke({ certificatePem, serialNumber, reason });
  const message = `the provider ${provider.name} does not revoke certificates; revoke it with its CA`;
  return { status: 'refused', message };
}

/** Stores that a certificate is revoked, with its audit entry and all that follows. */
export function settleRevoked(
  { db, clock, emit }: RevocationDeps,
  pending: PendingRevocationRow,
  provider: ProviderRow,
  outcome: Exclude<RevokeOutcome, { status: 'refused' }>,
): Promise<SettledRevocation> {
  return db.transaction(async (tx) => {
    const [fqdn] = await lockFqdns(tx, [pending.fqdnId]);
    const before = await findCertificate(tx, pending.id);
    await deletePendingRevocation(tx, pending.id);
    if (before !== undefined && before.revokedAt !== null)
      return { certificate: before, isStoredBefore: true };
    const now = clock.now();
    const change = {
      revokedAt: (outcome.status === 'already_revoked' ? outcome.revokedAt : undefined) ?? now,
      revocationReason: (outcome.status === 'already_revoked' ? outcome.reason : undefined) ?? pending.reason,
    };
    const caller = callerOfJob(pending);
    const facts = {
      reason: change.revocationReason,
      ...(outcome.status === 'already_revoked' && { alreadyRevoked: true }),
      ...(before === undefined && { note: 'the certificate was deleted here meanwhile' }),
    };
    await recordAudit(tx, caller, revocationAudit(pending, provider, facts), now);
    if (before === undefined || fqdn === undefined) return { certificate: undefined, isStoredBefore: false };
    await updateCertificate(tx, before.id, change);
    const certificate = { ...before, ...change };
    const event = { caller, fqdn, certificate };
    if (before.replacedAt === null) await emit.certificateRevoked(tx, event);
    else await emit.replacedCertificateRevoked(tx, event);
    return { certificate, isStoredBefore: false };
  });
}

/** Gives a revocation up that can never succeed, and records why. */
export function giveUpRevocation(
  { db, clock }: RevocationDeps,
  pending: PendingRevocationRow,
  provider: ProviderRow | undefined,
  message: string,
): Promise<void> {
  return db.transaction(async (tx) => {
    await deletePendingRevocation(tx, pending.id);
    await recordFailure(tx, pending, provider, message, clock.now());
  });
}

/** Leaves a revocation to be asked for again, as the CA did not answer. */
export function putOffRevocation(
  { db, clock, logger }: RevocationDeps,
  pending: PendingRevocationRow,
  provider: ProviderRow,
  message: string,
): Promise<Date> {
  return db.transaction(async (tx) => {
    const now = clock.now();
    const attempts = pending.attempts + 1;
    const dueAt = nextRevocationTry(attempts, now);
    await postponeRevocation(tx, { id: pending.id, attempts }, dueAt);
    // further tries go into the log of the service: an audit entry each would say nothing new
    if (pending.attempts === 0) await recordFailure(tx, pending, provider, message, now);
    const facts = { certificateId: pending.id, fqdn: pending.fqdn, attempts, reason: message };
    logger.warn({ ...facts, next: dueAt.toISOString() }, 'revocation.postponed');
    return dueAt;
  });
}

function recordFailure(
  tx: Tx,
  pending: PendingRevocationRow,
  provider: ProviderRow | undefined,
  message: string,
  now: Date,
): Promise<void> {
  const facts = { reason: pending.reason, failure: message };
  const entry = { ...revocationAudit(pending, provider, facts), outcome: 'failure' as const };
  return recordAudit(tx, callerOfJob(pending), entry, now);
}

function revocationAudit(
  { id, fqdn, fqdnId, spaceId, serialNumber, spkiSha256 }: PendingRevocationRow,
  provider: ProviderRow | undefined,
  facts: Readonly<Record<string, unknown>>,
) {
  const names = provider === undefined ? {} : { provider: provider.name, providerId: provider.id };
  return {
    action: 'certificate.revoke' as const,
    resourceType: 'certificate',
    resourceId: id,
    spaceId,
    details: { fqdn, fqdnId, serial: serialNumber, spkiSha256, ...names, ...facts },
  };
}

/** Whether asking again may succeed, as the CA did not answer or a part of the provider's configuration is missing. */
export function canRetryRevocation(error: unknown): error is AppError {
  return error instanceof UpstreamFailed || (error instanceof AppError && error.kind === 'invalid_input');
}
