import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { findLatestCsr, hasCsrOfFqdn, hasCsrSince } from '../../csrs/csrs.repository.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import { endOfLineage } from '../../front/lineages/lineage-ends.js';
import { listLineagesOf } from '../../front/lineages.repository.js';
import type { ProviderRow } from '../../providers/providers.repository.js';
import { cameOfRenewal, countRenewalsSince } from '../renewal-history.repository.js';
import { type RenewalWindow, restUntil, withRest } from '../renewal-policy.js';
import { findOpenRenewal, type RenewalRow } from '../renewals.repository.js';
import { type Outlook, outlookOf } from './renewal-outlook.js';

/** Facts of an FQDN that are known already and need not be read. */
export interface KnownFacts {
  readonly newest?: CertificateRow | undefined;
  /** The open entry, which holds what the CA said of the certificate. */
  readonly open?: RenewalRow | undefined;
  readonly hasCsr?: boolean;
  /** Who issued the newest certificate. */
  readonly provider?: ProviderRow;
}

/** Returns the outlook of the renewal of an FQDN, by the rules of the scheduler. */
export async function readOutlook(
  tx: Tx,
  fqdn: FqdnRow,
  { newest, open, hasCsr: isCsrKnown }: KnownFacts = {},
): Promise<{ readonly certificate: CertificateRow | undefined; readonly outlook: Outlook }> {
  const certificate = newest ?? (await findNewestCertificate(tx, fqdn.id));
  const window = windowOf(open, certificate);
  const isOfClient = certificate !== undefined && certificate.acmeClientId !== null;
  const facts = isOfClient
    ? await readClientFacts(tx, certificate)
    : { hasCsr: isCsrKnown ?? (await hasCsrOfFqdn(tx, fqdn.id)), isRenewedByClient: false };
  return { certificate, outlook: await computeOutlook(tx, fqdn, { certificate, window, ...facts }) };
}

/** Facts of a certificate that an ACME client ordered: a CSR that was uploaded before it does not belong to it. */
async function readClientFacts(tx: Tx, { fqdnId, createdAt }: CertificateRow) {
  const lineages = await listLineagesOf(tx, [fqdnId]);
  const isRenewedByClient = lineages.some((row) => endOfLineage(row) === undefined);
  return { hasCsr: await hasCsrSince(tx, fqdnId, createdAt), isRenewedByClient };
}

/** Whether an ACME client is expected to renew the newest certificate of an FQDN. */
export async function isRenewedByClient(tx: Tx, newest: CertificateRow | undefined): Promise<boolean> {
  return (
    newest != null && newest.acmeClientId !== null && (await readClientFacts(tx, newest)).isRenewedByClient
  );
}

/** Columns of a certificate that decide when it is renewed. */
export type PlannedCertificate = Pick<
  CertificateRow,
  | 'id'
  | 'fqdnId'
  | 'notBefore'
  | 'expiresAt'
  | 'createdAt'
  | 'providerId'
  | 'revokedAt'
  | 'revocationReason'
  | 'spkiSha256'
  | 'acmeClientId'
>;

/** As readOutlook, where all is known that is usually needed. */
export async function computeOutlook(
  tx: Tx,
  fqdn: Pick<FqdnRow, 'renewalEnabled' | 'renewAfterPermille' | 'providerId'>,
  facts: {
    readonly certificate: PlannedCertificate | undefined;
    readonly hasCsr: boolean;
    readonly window: RenewalWindow | undefined;
    /** An ACME client is expected to renew the certificate. */
    readonly isRenewedByClient: boolean;
  },
): Promise<Outlook> {
  const { renewalEnabled, renewAfterPermille, providerId } = fqdn;
  const isKeyCompromised = await hasCompromisedKey(tx, facts.certificate);
  const outlook = outlookOf({ renewalEnabled, renewAfterPermille, providerId, ...facts, isKeyCompromised });
  return rested(tx, outlook, facts.certificate);
}

/** Whether the newest CSR has the key for which the newest certificate was revoked. */
export async function hasCompromisedKey(
  tx: Tx,
  newest: Pick<CertificateRow, 'fqdnId' | 'revocationReason' | 'spkiSha256'> | undefined,
): Promise<boolean> {
  if (newest?.revocationReason !== 'keyCompromise') return false;
  return (await findLatestCsr(tx, newest.fqdnId))?.spkiSha256 === newest.spkiSha256;
}

/** A certificate that a renewal brought just now is left alone for a while, unless it was revoked. */
async function rested(
  tx: Tx,
  outlook: Outlook,
  certificate: PlannedCertificate | undefined,
): Promise<Outlook> {
  if (!outlook.isPlanned || certificate === undefined || certificate.revokedAt !== null) return outlook;
  // stored by a clock that was ahead
  if (certificate.createdAt >= certificate.expiresAt) return outlook;
  const renewed = { renewedAt: certificate.createdAt, notAfter: certificate.expiresAt };
  // hardly ever is a plan so early that it matters who brought the certificate
  const lifetimeMs = certificate.expiresAt.getTime() - certificate.notBefore.getTime();
  const latestRest = restUntil({ ...renewed, renewals: Number.POSITIVE_INFINITY });
  if (latestRest <= outlook.plan.renewAt || !(await cameOfRenewal(tx, certificate))) return outlook;
  const since = new Date(certificate.createdAt.getTime() - lifetimeMs);
  const renewals = await countRenewalsSince(tx, certificate.fqdnId, since);
  return { ...outlook, plan: withRest(outlook.plan, { ...renewed, renewals }) };
}

/** When the CA wants the certificate renewed, by the entry that is to renew it. */
function windowOf(
  entry: RenewalRow | undefined,
  certificate: CertificateRow | undefined,
): RenewalWindow | undefined {
  if (entry === undefined || entry.certificateId !== certificate?.id) return undefined;
  const { windowStart: start, windowEnd: end } = entry;
  return start === null || end === null ? undefined : { start, end };
}

/** When the newest certificate is due for renewal, whether or not that happens automatically. */
export async function renewAtOf(tx: Tx, fqdn: FqdnRow): Promise<Date | undefined> {
  const open = await findOpenRenewal(tx, fqdn.id);
  const certificate = await findNewestCertificate(tx, fqdn.id);
  const window = windowOf(open, certificate);
  const outlook = outlookOf({ ...fqdn, certificate, window, hasCsr: true, renewalEnabled: true });
  return outlook.isPlanned ? outlook.plan.renewAt : undefined;
}
