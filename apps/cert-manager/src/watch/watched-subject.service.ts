import type { WatchWord } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import { usableUntil } from '../certificates/in-use.js';
import { findNewestCertificate } from '../certificates/newest-certificates.repository.js';
import { type FqdnRow, findFqdn } from '../fqdns/fqdns.repository.js';
import { findPolicyRefusal } from '../fqdns/policy/policy-refusals.repository.js';
import { readOutlook, renewAtOf } from '../renewals/outlook/read-outlook.service.js';
import { findLatestRenewal } from '../renewals/renewal-history.repository.js';
import { planRenewal } from '../renewals/renewal-policy.js';
import { findOpenRenewal, findRenewal } from '../renewals/renewals.repository.js';
import { findSpace, type SpaceRow } from '../spaces/spaces.repository.js';
import { graceOf, noticeAt } from '../standings/attention.js';
import {
  expiryText,
  failedText,
  forbiddenText,
  type PingedCertificate,
  revokedText,
  storedText,
} from './pings/ping-text.js';
import { watchModeOf } from './watch-mode.js';

/** What decides, in addition to the FQDN, whether it is watched. */
export interface WatchRules {
  readonly now: Date;
  /** Whether FQDNs with renewal off are watched, too. */
  readonly watchesExpiry: boolean;
}

/** An FQDN that is to have a check, as it is now. */
export interface WatchedSubject {
  readonly fqdn: FqdnRow;
  readonly space: SpaceRow;
  readonly mode: 'renewal' | 'expiry';
  /** The newest one, and when the next success is expected. */
  readonly certificate: { readonly row: CertificateRow; readonly expectedAt: Date } | undefined;
}

/** The FQDN if it is to have a check: it is there, its space is watched, and so is it by its mode. */
export async function findWatched(
  tx: Tx,
  fqdnId: string,
  rules: WatchRules,
): Promise<WatchedSubject | undefined> {
  const fqdn = await findFqdn(tx, fqdnId);
  if (fqdn === undefined) return undefined;
  const space = await findSpace(tx, fqdn.spaceId);
  if (space === undefined || space.unwatchedSince !== null) return undefined;
  const row = await findNewestCertificate(tx, fqdnId);
  const mode = wordOf(fqdn, row, rules);
  if (mode === 'no' || mode === 'accepted') return undefined;
  const certificate = row && { row, expectedAt: await expectedAtFor(tx, fqdn, row) };
  return { fqdn, space, mode, certificate };
}

/** What of an FQDN the monitor watches, in one word. */
export async function watchWordOf(
  tx: Tx,
  fqdn: FqdnRow,
  newest: CertificateRow | undefined,
  rules: WatchRules,
): Promise<WatchWord> {
  const space = await findSpace(tx, fqdn.spaceId);
  return space === undefined || space.unwatchedSince !== null ? 'no' : wordOf(fqdn, newest, rules);
}

function wordOf(
  fqdn: FqdnRow,
  newest: CertificateRow | undefined,
  { now, watchesExpiry }: WatchRules,
): WatchWord {
  return fqdn.renewalEnabled || watchesExpiry ? watchModeOf(fqdn, newest, now) : 'no';
}

/**
 * When the scheduler renews the certificate; where that cannot be done, when it should be done all the same. With renewal
 * off, when people must know of its end. A revoked one should be replaced already.
 */
async function expectedAtFor(tx: Tx, fqdn: FqdnRow, newest: CertificateRow): Promise<Date> {
  const { id: seed, notBefore, expiresAt: notAfter, revokedAt } = newest;
  if (!fqdn.renewalEnabled) return revokedAt ?? noticeAt(newest);
  const open = await findOpenRenewal(tx, fqdn.id);
  const { outlook } = await readOutlook(tx, fqdn, { newest, open });
  if (outlook.isPlanned) return outlook.plan.renewAt;
  if (revokedAt !== null) return revokedAt;
  return (await renewAtOf(tx, fqdn)) ?? planRenewal({ notBefore, notAfter, seed }).renewAt;
}

type WatchedCertificate = NonNullable<WatchedSubject['certificate']>;

export function announcedCertificate(
  mode: WatchedSubject['mode'],
  { row, expectedAt }: WatchedCertificate,
): PingedCertificate {
  const { serialNumber, issuer, expiresAt } = row;
  return { serialNumber, issuer, expiresAt, renewAt: mode === 'renewal' ? expectedAt : 'never' };
}

export interface FirstPing {
  readonly signal: 'success' | 'fail';
  readonly body: string;
}

/**
 * The ping that puts a check in the state of its FQDN. With renewal on, a success when the certificate is not yet due or
 * its renewal has not failed, else the failure; with renewal off, a success as long as there is time to act. Undefined
 * when there is no certificate to watch.
 */
export async function firstPing(
  tx: Tx,
  { fqdn, mode, certificate }: WatchedSubject,
  now: Date,
): Promise<FirstPing | undefined> {
  if (certificate === undefined) return undefined;
  const success = {
    signal: 'success',
    body: storedText('watched', announcedCertificate(mode, certificate)),
  } as const;
  if (mode === 'expiry') return expiryFailure(certificate, now) ?? success;
  const refusal = await findPolicyRefusal(tx, fqdn.id);
  if (refusal !== undefined) return { signal: 'fail', body: forbiddenText(refusal.reason) };
  const failure = await findFailure(tx, fqdn.id, certificate.row.id);
  if (failure !== undefined) return { signal: 'fail', body: failedText(failure) };
  if (certificate.row.revokedAt !== null) {
    const isPlanned = (await findOpenRenewal(tx, fqdn.id)) !== undefined;
    return { signal: 'fail', body: revokedText({ ...certificate.row, isPlanned }) };
  }
  return success;
}

/** The failure of a certificate that nothing will replace, where it is revoked or people should know already. */
function expiryFailure({ row, expectedAt }: WatchedCertificate, now: Date): FirstPing | undefined {
  if (row.revokedAt !== null) return { signal: 'fail', body: revokedText({ ...row, isPlanned: false }) };
  const fallsAt = expectedAt.getTime() + graceOf({ expectedAt, notAfter: usableUntil(row) }) * 1000;
  return now.getTime() < fallsAt ? undefined : { signal: 'fail', body: expiryText(row.expiresAt) };
}

/** The last try to renew the certificate, if it failed. */
async function findFailure(tx: Tx, fqdnId: string, certificateId: string) {
  const latest = await findLatestRenewal(tx, fqdnId);
  if (latest === undefined || latest.certificateId !== certificateId) return undefined;
  const failed = latest.retryOf === null ? latest : await findRenewal(tx, latest.retryOf);
  if (failed?.status !== 'failed') return undefined;
  return { attempt: failed.attempt, reason: failed.reason ?? 'unknown' };
}
