import { InvalidInput, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { findCertificate } from '../certificates/certificates.repository.js';
import { findNewestCertificate } from '../certificates/newest-certificates.repository.js';
import { findFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { invalidField } from '../http/problem.js';
import { lockProviderForShare } from '../providers/providers.repository.js';
import type { DescribeClientDeps } from './explanation/explain-renewal.service.js';
import { renewedByClientText } from './explanation/explanation.js';
import { newRenewal } from './new-renewal.repository.js';
import { isRenewedByClient } from './outlook/read-outlook.service.js';
import { insertRenewal, type RenewalRow } from './renewals.repository.js';
import type { RenewalsDeps } from './renewals.service.js';

/** A renewal to queue for a test, whether the FQDN is renewed automatically or not. */
export interface NewTestRenewal {
  readonly certificateId: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  /** 0 to 525 600. */
  readonly minutesFromNow: number;
}

/**
 * Queues a renewal at a time from now. Throws Forbidden, and InvalidInput with the id that is unknown or does not
 * belong to the others, or of an FQDN that an ACME client renews.
 */
export async function createTestRenewal(
  { db, clock, describeClient }: RenewalsDeps & DescribeClientDeps,
  caller: Caller,
  input: NewTestRenewal,
): Promise<RenewalRow> {
  requireAdmin(caller);
  const { certificateId, fqdnId, spaceId, minutesFromNow } = input;
  const now = clock.now();
  const scheduledAt = new Date(now.getTime() + minutesFromNow * 60_000);
  return db.transaction(async (tx) => {
    const providerId = await requireTestProvider(tx, input, describeClient);
    const subject = { fqdnId, spaceId, certificateId, providerId, scheduledAt };
    const entry = newRenewal({ ...subject, isTest: true }, now);
    await insertRenewal(tx, entry);
    const details = { fqdnId, certificateId, scheduledAt: scheduledAt.toISOString(), isTest: true };
    const act = { action: 'queue.create', resourceType: 'renewal', resourceId: entry.id } as const;
    await recordAudit(tx, caller, { ...act, spaceId, details }, now);
    return entry;
  });
}

/** Provider of the test: that of the newest certificate. Throws InvalidInput. */
async function requireTestProvider(
  tx: Tx,
  { certificateId, fqdnId, spaceId }: NewTestRenewal,
  describeClient: DescribeClientDeps['describeClient'],
): Promise<string> {
  const certificate = await findCertificate(tx, certificateId);
  if (certificate === undefined) throw mismatch('certificateId', 'names no certificate');
  if (certificate.fqdnId !== fqdnId) throw mismatch('fqdnId', 'is not the FQDN of the certificate');
  const fqdn = await findFqdn(tx, fqdnId);
  if (fqdn?.spaceId !== spaceId) throw mismatch('spaceId', 'is not the space of the FQDN');
  // locked, since another call may be deleting it
  await lockFqdn(tx, spaceId, fqdnId).catch(goneAsMismatch);
  const newest = await findNewestCertificate(tx, fqdnId);
  if (await isRenewedByClient(tx, newest)) {
    const message = renewedByClientText(await describeClient(tx, fqdnId));
    throw invalidField('fqdnId', message, 'renewed_by_client');
  }
  if (newest?.providerId == null || (await lockProviderForShare(tx, newest.providerId)) === undefined)
    throw mismatch('certificateId', 'has no provider that could renew it');
  return newest.providerId;
}

function goneAsMismatch(error: unknown): never {
  if (error instanceof NotFound) throw mismatch('fqdnId', 'names an FQDN that was deleted');
  throw error;
}

function mismatch(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, {
    code: 'renewal_inconsistent',
    title: 'The ids do not belong together',
    fields: [{ path, code: 'mismatch', message }],
  });
}
