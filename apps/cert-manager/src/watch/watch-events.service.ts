import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import {
  findNewestCertificate,
  listLastCertificates,
} from '../certificates/newest-certificates.repository.js';
import type { StoredCertificate } from '../certificates/store-certificates.service.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import {
  type Changes,
  type DeletedScope,
  type FqdnEvent,
  fqdnsOf,
  type SwitchedFqdn,
} from '../fqdns/fqdns.service.js';
import type { PolicyVerdict } from '../fqdns/policy/policy-verdict.js';
import type { LineagesChanged } from '../front/lineages/lineage-events.service.js';
import type { FailedRenewal } from '../renewals/queue/settle-renewal.service.js';
import type { JudgedTargets } from '../targets/probes/settle-observed.service.js';
import type { AcceptedExpiry } from './expiry/accept-expiry.service.js';
import { watchMissing } from './missing-watch.repository.js';
import {
  allowedText,
  failedText,
  forbiddenText,
  refusedText,
  revokedText,
  servedAgainText,
  servedText,
} from './pings/ping-text.js';
import { eventSignal } from './signal-now.js';
import {
  changeMode,
  type FqdnIds,
  findSubject,
  queuePing,
  updateCheck,
  type WatchDeps,
} from './watch-changes.service.js';
import { findServedFault, forgetSent, touchWatched, updateServedFault } from './watched-fqdns.repository.js';
import { announcedText, stateText } from './watched-subject.service.js';

/** Pings that FQDNs have a newer certificate. */
export async function pingStored(
  tx: Tx,
  { changes }: Changes<StoredCertificate>,
  deps: WatchDeps,
): Promise<void> {
  for (const { caller, fqdn, certificate: stored } of changes) {
    // the lineage of an ACME client follows in the same transaction, and pings
    if (stored.acmeClientId !== null) continue;
    const subject = await findSubject(tx, fqdn.id, deps);
    if (subject?.certificate === undefined) continue;
    const { certificate, now } = subject;
    const body = announcedText(storedEventOf(caller, certificate), certificate, subject);
    await queuePing(tx, subject, { signal: eventSignal('good', now), body }, deps);
  }
}

function storedEventOf({ kind }: Caller, { importedAt, source }: CertificateRow) {
  if (source === 'served') return 'adopted';
  if (kind === 'scheduler') return 'renewed';
  return importedAt === null ? 'issued' : 'imported';
}

/** Pings what the orders of ACME clients brought, and makes the checks follow the dates of their lineages. */
export async function pingLineages(
  tx: Tx,
  { fqdns, cause }: LineagesChanged,
  deps: WatchDeps,
): Promise<void> {
  for (const fqdn of fqdns) {
    const subject = await findSubject(tx, fqdn.id, deps);
    if (subject?.certificate !== undefined && cause === 'issued') {
      const { certificate, now } = subject;
      const isFirst = (await listLastCertificates(tx, fqdn.id, 2)).length === 1;
      const body = announcedText(isFirst ? 'issued' : 'renewed', certificate, subject);
      await queuePing(tx, subject, { signal: eventSignal('good', now), body }, deps);
    } else if (subject !== undefined && cause === 'failed') {
      const signal = eventSignal('bad', subject.now);
      await queuePing(tx, subject, { signal, body: stateText(subject) }, deps);
    } else if (cause === 'read') await updateCheck(tx, { fqdn }, deps);
    else await changeMode(tx, fqdn, deps);
  }
}

/** Pings that a renewal failed. */
export async function pingFailedRenewal(
  tx: Tx,
  { entry: { fqdnId, certificateId, isTest, attempt }, fault: { reason } }: FailedRenewal,
  deps: WatchDeps,
): Promise<void> {
  const subject = await findSubject(tx, fqdnId, deps);
  if (subject === undefined) return;
  // a test says nothing about the next renewal, and what was renewed manually in the meantime need not be renewed
  const isPast = isTest || subject.mode !== 'renewal' || subject.certificate?.id !== certificateId;
  const signal = isPast ? 'log' : eventSignal('bad', subject.now);
  await queuePing(tx, subject, { signal, body: failedText({ attempt, reason }) }, deps);
}

/** Pings that a request for a certificate failed. */
export async function pingFailedRequest(
  tx: Tx,
  { fqdn, reason }: { readonly fqdn: { readonly id: string }; readonly reason: string },
  deps: WatchDeps,
): Promise<void> {
  const subject = await findSubject(tx, fqdn.id, deps);
  if (subject === undefined) return;
  const signal = eventSignal('bad', subject.now);
  await queuePing(tx, subject, { signal, body: refusedText(reason) }, deps);
}

/** Pings that the newest certificate was revoked. Its renewal is planned already if that is possible. */
export async function pingRevoked(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnRow },
  deps: WatchDeps,
): Promise<void> {
  const subject = await findSubject(tx, fqdn.id, deps);
  if (subject?.certificate === undefined) return;
  const { certificate, now } = subject;
  const isPlanned = now.status.outlook === 'planned';
  const body = revokedText({ ...certificate, isPlanned });
  await queuePing(tx, subject, { signal: eventSignal('bad', now), body }, deps);
}

/** Makes the check follow that a certificate of an ACME client was revoked which is not the newest of its FQDN. */
export async function updateRevokedLineage(
  tx: Tx,
  { fqdn, certificate }: { readonly fqdn: FqdnRow; readonly certificate: CertificateRow },
  deps: WatchDeps,
): Promise<void> {
  if (certificate.acmeClientId !== null) await updateCheck(tx, { fqdn }, deps);
}

/** Pings that the policy of the space forbids the renewal, or allows it again. */
export async function pingPolicyVerdict(
  tx: Tx,
  { fqdn, refusal }: PolicyVerdict & { readonly fqdn: FqdnRow },
  deps: WatchDeps,
): Promise<void> {
  const subject = await findSubject(tx, fqdn.id, deps);
  if (subject?.mode !== 'renewal') return;
  const isAllowed = refusal === undefined;
  const signal = eventSignal(isAllowed ? 'good' : 'bad', subject.now);
  // if its renewal failed in the meantime, it is retried at once, and that attempt pings the result
  await queuePing(tx, subject, { signal, body: isAllowed ? allowedText : forbiddenText(refusal) }, deps);
}

/** Pings that the targets have a fault or have none any more, if that is new for the check. */
export async function pingServed(
  tx: Tx,
  { fqdn: { id }, fault }: JudgedTargets,
  deps: WatchDeps,
): Promise<void> {
  if (deps.watch === undefined) return;
  if ((await findServedFault(tx, id)) === fault) return;
  if (!(await updateServedFault(tx, id, fault))) return;
  const subject = await findSubject(tx, id, deps);
  if (subject === undefined) return;
  const { now } = subject;
  if (fault !== null)
    return queuePing(tx, subject, { signal: eventSignal('bad', now), body: servedText(fault) }, deps);
  const body = now.signal === 'fail' ? stateText(subject) : servedAgainText;
  await queuePing(tx, subject, { signal: now.signal, body }, deps);
}

/** Has the checks of those FQDNs updated that are renewed. */
export async function updateRenewedChecks(tx: Tx, event: FqdnEvent<FqdnRow>, deps: WatchDeps): Promise<void> {
  for (const fqdn of fqdnsOf(event)) if (fqdn.renewalEnabled) await updateCheck(tx, { fqdn }, deps);
}

/** Makes the checks follow the switches of renewal. */
export async function switchModes(
  tx: Tx,
  { changes }: Changes<SwitchedFqdn>,
  deps: WatchDeps,
): Promise<void> {
  for (const { fqdn, wasEnabled } of changes) {
    if (fqdn.renewalEnabled !== wasEnabled) await changeMode(tx, fqdn, deps);
    else if (fqdn.renewalEnabled) await updateCheck(tx, { fqdn }, deps);
  }
}

/** Makes the check follow the dates of a certificate that were read again. */
export async function updateRefreshedCheck(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnRow },
  deps: WatchDeps,
): Promise<void> {
  if (fqdn.renewalEnabled) await updateCheck(tx, { fqdn }, deps);
  // its chain may end at another time than before
  else await changeMode(tx, fqdn, deps);
}

/** Makes the check follow when the acceptance of the expiry begins or ends. */
export async function switchAcceptance(
  tx: Tx,
  { fqdn, isSwitched }: AcceptedExpiry,
  deps: WatchDeps,
): Promise<void> {
  // a date that was moved changes nothing for the check now
  if (isSwitched) await changeMode(tx, fqdn, deps);
}

/** Makes the check of an FQDN without a certificate follow whether one that is served is adopted. */
export async function switchAdoption(
  tx: Tx,
  { fqdn }: { readonly fqdn: FqdnIds },
  deps: WatchDeps,
): Promise<void> {
  if (deps.watch === undefined) return;
  if ((await findNewestCertificate(tx, fqdn.id)) === undefined) await changeMode(tx, fqdn, deps);
}

/** Has the checks described again of FQDNs that have another owner or other tags. */
export async function updateDescriptions(
  tx: Tx,
  event: FqdnEvent<FqdnRow>,
  { clock, watch }: WatchDeps,
): Promise<void> {
  if (watch === undefined) return;
  const fqdnIds = fqdnsOf(event).map(({ id }) => id);
  await forgetSent(tx, fqdnIds);
  await touchWatched(tx, { fqdnIds }, clock.now());
}

/** Has the checks of deleted FQDNs removed. */
export async function removeChecks(
  tx: Tx,
  { scope }: { readonly scope: DeletedScope },
  { clock, watch }: WatchDeps,
): Promise<void> {
  if (watch !== undefined) await touchWatched(tx, scope, clock.now());
}

/** Has the checks of the FQDNs of a space created or removed. */
export async function switchSpaceChecks(
  tx: Tx,
  { spaceId }: { readonly spaceId: string },
  { clock, watch }: WatchDeps,
): Promise<void> {
  if (watch === undefined) return;
  await touchWatched(tx, { spaceId }, clock.now());
  const now = clock.now();
  await watchMissing(tx, { spaceId }, { mode: 'renewal', now, dueAt: now });
  // FQDNs without renewal follow
  const dueAt = new Date(now.getTime() + 1);
  if (watch.watchesExpiry) await watchMissing(tx, { spaceId }, { mode: 'expiry', now, dueAt });
}

/** Has the checks of FQDNs updated whose stored states were corrected; also without a monitor. */
export async function updateCorrectedChecks(
  tx: Tx,
  { fqdnIds }: { readonly fqdnIds: readonly string[] },
  { clock }: WatchDeps,
): Promise<void> {
  await touchWatched(tx, { fqdnIds }, clock.now());
}
