import type { Tx } from '@certloop/db';
import { type CertificateRow, findNewestCertificate } from '../certificates/certificates.repository.js';
import { type FqdnRow, findFqdn } from '../fqdns/fqdns.repository.js';
import { findPolicyRefusal } from '../fqdns/policy-refusals.repository.js';
import { planRenewal } from '../renewals/renewal-policy.js';
import { findLatestRenewal, findOpenRenewal, findRenewal } from '../renewals/renewals.repository.js';
import { readOutlook, renewAtOf } from '../renewals/schedule-renewals.service.js';
import { findSpace, type SpaceRow } from '../spaces/spaces.repository.js';
import { failedText, forbiddenText, revokedText, storedText, type ToldCertificate } from './ping-text.js';

/** An FQDN that is to have a check, as it is now. */
export interface WatchedSubject {
  readonly fqdn: FqdnRow;
  readonly space: SpaceRow;
  /** The newest one, and when it is to be renewed. */
  readonly certificate: { readonly row: CertificateRow; readonly renewAt: Date } | undefined;
}

/** The FQDN if it is to have a check: it is there, is renewed by itself, and its space is watched. */
export async function findWatched(tx: Tx, fqdnId: string): Promise<WatchedSubject | undefined> {
  const fqdn = await findFqdn(tx, fqdnId);
  if (fqdn?.renewalEnabled !== true) return undefined;
  const space = await findSpace(tx, fqdn.spaceId);
  if (space === undefined || space.unwatchedSince !== null) return undefined;
  const row = await findNewestCertificate(tx, fqdnId);
  const certificate = row && { row, renewAt: await renewAtFor(tx, fqdn, row) };
  return { fqdn, space, certificate };
}

/** When the scheduler renews it; where that cannot be done, when it should be done all the same. */
async function renewAtFor(tx: Tx, fqdn: FqdnRow, newest: CertificateRow): Promise<Date> {
  const open = await findOpenRenewal(tx, fqdn.id);
  const { outlook } = await readOutlook(tx, fqdn, { newest, open });
  if (outlook.isPlanned) return outlook.plan.renewAt;
  const { id: seed, notBefore, expiresAt: notAfter, revokedAt } = newest;
  if (revokedAt !== null) return revokedAt;
  return (await renewAtOf(tx, fqdn)) ?? planRenewal({ notBefore, notAfter, seed }).renewAt;
}

export function toldCertificate({
  row,
  renewAt,
}: NonNullable<WatchedSubject['certificate']>): ToldCertificate {
  const { serialNumber, issuer, expiresAt } = row;
  return { serialNumber, issuer, expiresAt, renewAt };
}

/**
 * The ping that puts a new check in the state of its FQDN: a success when the certificate is not yet due or its renewal
 * has not failed, else the failure; undefined when there is no certificate to watch.
 */
export async function firstPing(
  tx: Tx,
  { fqdn, certificate }: WatchedSubject,
): Promise<{ readonly signal: 'success' | 'fail'; readonly body: string } | undefined> {
  if (certificate === undefined) return undefined;
  const refusal = await findPolicyRefusal(tx, fqdn.id);
  if (refusal !== undefined) return { signal: 'fail', body: forbiddenText(refusal.reason) };
  const failure = await findFailure(tx, fqdn.id, certificate.row.id);
  if (failure !== undefined) return { signal: 'fail', body: failedText(failure) };
  if (certificate.row.revokedAt !== null) {
    const isPlanned = (await findOpenRenewal(tx, fqdn.id)) !== undefined;
    return { signal: 'fail', body: revokedText({ ...certificate.row, isPlanned }) };
  }
  return { signal: 'success', body: storedText('watched', toldCertificate(certificate)) };
}

/** The last try to renew the certificate, if it failed. */
async function findFailure(tx: Tx, fqdnId: string, certificateId: string) {
  const latest = await findLatestRenewal(tx, fqdnId);
  if (latest === undefined || latest.certificateId !== certificateId) return undefined;
  const failed = latest.retryOf === null ? latest : await findRenewal(tx, latest.retryOf);
  if (failed?.status !== 'failed') return undefined;
  return { attempt: failed.attempt, reason: failed.reason ?? 'unknown' };
}
