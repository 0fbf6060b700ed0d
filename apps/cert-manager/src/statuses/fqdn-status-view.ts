import type { CertificateSource, CsrFinding, FqdnStatus } from '@certloop/contracts';
import { chainHint, endsView } from '../certificates/in-use.js';
import { readableText } from '../providers/provider.js';
import type { ComputedStatus } from './computed-status.js';
import { type AtWork, activityOf, outlookAt, statusReasonOf } from './fqdn-status.js';
import type { SpokenLineages } from './lineages/lineage-text.js';
import { chainStateOf, renewalOwnerOf, type TargetProtocol } from './renewal-owner.js';

/** State of an FQDN with what is shown of it. */
interface ShownStatus extends AtWork {
  readonly status: ComputedStatus;
  readonly state: FqdnStatus['state'];
  readonly certificate:
    | {
        readonly id: string;
        readonly issuer: string;
        readonly serialNumber: string;
        readonly keyAlgorithm: string;
        readonly leafExpiresAt: Date | null;
        readonly leafSha256: string | null;
        readonly providerId: string | null;
        readonly importedAt: Date | null;
        readonly keyKind: string | null;
        readonly authoritySha256: string | null;
        readonly source: CertificateSource | null;
      }
    | undefined;
  readonly csr:
    | { readonly id: string; readonly createdAt: Date; readonly findings: readonly CsrFinding[] }
    | undefined;
  readonly checkUuid: string | undefined;
  readonly protocols: readonly TargetProtocol[];
  readonly isAdopting: boolean;
  readonly lineages: SpokenLineages | undefined;
  readonly coveredBy: { readonly id: string; readonly fqdn: string } | undefined;
  readonly now: Date;
}

/** The state of an FQDN as the API shows it; `monitorUrl` is where browsers reach the monitor. */
export function statusView(
  shown: ShownStatus,
  fqdn: { readonly renewalEnabled: boolean; readonly expiryAcceptedUntil: Date | null },
  monitorUrl: string | undefined,
): FqdnStatus {
  const { status, state, certificate, csr, checkUuid, protocols, isAdopting, lineages, now } = shown;
  const { attentionAt, renewAt } = status;
  const activity = activityOf(shown);
  const { expiryAcceptedUntil: until } = fqdn;
  const acceptedUntil = !fqdn.renewalEnabled && until !== null && until > now ? until : undefined;
  const renewedBy = renewalOwnerOf({
    renewalEnabled: fqdn.renewalEnabled,
    isAdopting,
    source: certificate?.source ?? null,
    client: status.client,
  });
  const hasCsr = csr !== undefined;
  const isRenewedElsewhere = isAdopting && !fqdn.renewalEnabled;
  const coveredBy = state === 'unfinished' ? shown.coveredBy : undefined;
  const others = { isRenewedElsewhere, isAdopting, lineages, coveredBy: coveredBy?.fqdn };
  const facts = { state, hasCsr, acceptedUntil, now, ...others };
  const reason = statusReasonOf(status, facts);
  const hint = hintOf(shown);
  return {
    state,
    reason: hint === undefined ? reason : `${reason} ${hint}`,
    ...(attentionAt !== null && { attentionAt: attentionAt.toISOString() }),
    ...(activity !== undefined && { activity }),
    outlook: outlookAt(status, shown, now),
    ...(renewAt !== null && { renewAt: renewAt.toISOString() }),
    ...certificatePart(shown),
    renewedBy,
    ...(protocols.length > 0 && { protocols: [...protocols] }),
    ...(csr !== undefined && {
      csr: { id: csr.id, createdAt: csr.createdAt.toISOString(), findings: [...csr.findings] },
    }),
    ...failurePart(status),
    ...clientPart(lineages),
    ...(coveredBy !== undefined && { coveredBy: { fqdnId: coveredBy.id, fqdn: coveredBy.fqdn } }),
    ...(checkUuid !== undefined &&
      monitorUrl !== undefined && {
        watchUrl: `${monitorUrl.replace(/\/$/, '')}/checks/${checkUuid}/details/`,
      }),
  };
}

function hintOf({ status: { expiresAt }, certificate }: ShownStatus): string | undefined {
  if (certificate === undefined || expiresAt === null) return undefined;
  return chainHint({ expiresAt, leafExpiresAt: certificate.leafExpiresAt });
}

function certificatePart({ status, certificate }: ShownStatus): Pick<FqdnStatus, 'certificate'> {
  const { notBefore, expiresAt } = status;
  if (certificate === undefined || notBefore === null || expiresAt === null) return {};
  const { id, issuer, serialNumber, keyAlgorithm, leafExpiresAt, source } = certificate;
  const chain = chainStateOf(certificate);
  const dates = { notBefore: notBefore.toISOString(), ...endsView({ expiresAt, leafExpiresAt }) };
  return {
    certificate: {
      ...{ id, ...dates, issuer, serialNumber, keyAlgorithm },
      ...(source !== null && { source }),
      ...(chain !== undefined && { chain }),
    },
  };
}

function failurePart({ problem, problemAt, problemReason }: ComputedStatus): Pick<FqdnStatus, 'lastFailure'> {
  const isFailure = problem === 'renewal' || problem === 'client' || problem === 'request';
  if (!isFailure || problemAt === null || problemReason === null) return {};
  return { lastFailure: { at: problemAt.toISOString(), message: problemReason } };
}

/** The client that speaks for all of them. */
function clientPart(lineages: SpokenLineages | undefined): Pick<FqdnStatus, 'acmeClient'> {
  if (lineages === undefined) return {};
  const [{ client, userAgent, seenAt, ipAddress }] = lineages.lineages;
  return {
    acmeClient: {
      ...client,
      userAgent: readableText(userAgent, 200),
      lastSeenAt: seenAt.toISOString(),
      lastSeenFrom: ipAddress,
      lineages: lineages.count,
    },
  };
}
