import type { CsrFinding, FqdnStatus } from '@certloop/contracts';
import { chainHint, endsView } from '../certificates/in-use.js';
import type { Standing } from './computed-status.js';
import { type AtWork, activityOf, outlookAt, statusReasonOf } from './fqdn-status.js';

/** What is shown of the state of an FQDN. */
interface ShownStanding extends AtWork {
  readonly standing: Standing;
  readonly state: FqdnStatus['state'];
  readonly certificate:
    | {
        readonly id: string;
        readonly issuer: string;
        readonly serialNumber: string;
        readonly keyAlgorithm: string;
        readonly leafExpiresAt: Date | null;
      }
    | undefined;
  readonly csr:
    | { readonly id: string; readonly createdAt: Date; readonly findings: readonly CsrFinding[] }
    | undefined;
  readonly checkUuid: string | undefined;
  readonly now: Date;
}

/** The state of an FQDN as the API shows it; `monitorUrl` is where browsers reach the monitor. */
export function statusView(
  shown: ShownStanding,
  fqdn: { readonly renewalEnabled: boolean; readonly expiryAcceptedUntil: Date | null },
  monitorUrl: string | undefined,
): FqdnStatus {
  const { standing, state, csr, checkUuid, now } = shown;
  const { attentionAt, renewAt } = standing;
  const activity = activityOf(shown);
  const { expiryAcceptedUntil: until } = fqdn;
  const acceptedUntil = !fqdn.renewalEnabled && until !== null && until > now ? until : undefined;
  const reason = statusReasonOf(standing, { state, hasCsr: csr !== undefined, acceptedUntil });
  const hint = hintOf(shown);
  return {
    state,
    reason: hint === undefined ? reason : `${reason} ${hint}`,
    ...(attentionAt !== null && { attentionAt: attentionAt.toISOString() }),
    ...(activity !== undefined && { activity }),
    outlook: outlookAt(standing, shown, now),
    ...(renewAt !== null && { renewAt: renewAt.toISOString() }),
    ...certificatePart(shown),
    ...(csr !== undefined && {
      csr: { id: csr.id, createdAt: csr.createdAt.toISOString(), findings: [...csr.findings] },
    }),
    ...failurePart(standing),
    ...(checkUuid !== undefined &&
      monitorUrl !== undefined && {
        watchUrl: `${monitorUrl.replace(/\/$/, '')}/checks/${checkUuid}/details/`,
      }),
  };
}

function hintOf({ standing: { expiresAt }, certificate }: ShownStanding): string | undefined {
  if (certificate === undefined || expiresAt === null) return undefined;
  return chainHint({ expiresAt, leafExpiresAt: certificate.leafExpiresAt });
}

function certificatePart({ standing, certificate }: ShownStanding): Pick<FqdnStatus, 'certificate'> {
  const { notBefore, expiresAt } = standing;
  if (certificate === undefined || notBefore === null || expiresAt === null) return {};
  const { id, issuer, serialNumber, keyAlgorithm, leafExpiresAt } = certificate;
  const dates = { notBefore: notBefore.toISOString(), ...endsView({ expiresAt, leafExpiresAt }) };
  return { certificate: { id, ...dates, issuer, serialNumber, keyAlgorithm } };
}

function failurePart({ problem, problemAt, problemReason }: Standing): Pick<FqdnStatus, 'lastFailure'> {
  const isFailure = problem === 'renewal' || problem === 'request';
  if (!isFailure || problemAt === null || problemReason === null) return {};
  return { lastFailure: { at: problemAt.toISOString(), message: problemReason } };
}
