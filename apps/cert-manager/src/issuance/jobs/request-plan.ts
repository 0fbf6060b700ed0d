import { type RequestStep, requestSteps, type StepReport, type StepStatus } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { coversHostname } from '../../judging/hostname.js';

/** Facts about an existing certificate. */
export interface ServingCandidate {
  readonly pem: string;
  readonly spkiSha256: string;
  readonly notBefore: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

/**
 * The last certificate that is valid for the host name at `now`; `certificates` are oldest first. A certificate for a
 * key that a later certificate replaced does not count. If the newest one is revoked, none counts.
 */
export function findServing<C extends ServingCandidate>(
  certificates: readonly C[],
  hostname: string,
  now: Date,
): C | undefined {
  const newest = certificates.at(-1);
  if (newest === undefined || newest.revokedAt !== null) return undefined;
  const key = newest.spkiSha256;
  return certificates.findLast(
    (certificate) =>
      certificate.revokedAt === null &&
      certificate.spkiSha256 === key &&
      certificate.notBefore <= now &&
      now <= certificate.expiresAt &&
      namesOf(certificate).some((name) => coversHostname(name.toLowerCase(), hostname)),
  );
}

/** Whether a request must be confirmed: a certificate is valid and not yet due for renewal. */
export function needsConfirmation(
  serving: ServingCandidate | undefined,
  { isConfirmed, renewAt, now }: { isConfirmed: boolean; renewAt: Date | undefined; now: Date },
): boolean {
  return serving !== undefined && !isConfirmed && (renewAt === undefined || now < renewAt);
}

function namesOf({ pem }: ServingCandidate): readonly string[] {
  const [leaf] = splitChain(pem);
  return leaf === undefined ? [] : describeCertificate(parseCertificate(leaf)).dnsNames;
}

/** Steps that have been begun, by name. */
export type StepReports = Readonly<Partial<Record<RequestStep, StepReport>>>;

/** Every step in the order of execution; steps that were not reached are `pending`. */
export function allSteps(reports: StepReports): Record<RequestStep, StepReport> {
  const pending: StepReport = { status: 'pending' };
  const entries = requestSteps.map((step) => [step, reports[step] ?? pending] as const);
  return Object.fromEntries(entries) as Record<RequestStep, StepReport>;
}

const ended: readonly StepStatus[] = ['ok', 'warning', 'skipped', 'failed'];

/** The reports after one step has changed; moments are those of its first and its last change. */
export function changeStep(
  reports: StepReports,
  step: RequestStep,
  change: Partial<StepReport> & Pick<StepReport, 'status'>,
  now: Date,
): StepReports {
  const { detail, ...before }: Partial<StepReport> = reports[step] ?? {};
  // what a person had to do is done
  const lasting = before.status === 'waiting_manual' || detail === undefined ? {} : { detail };
  const startedAt = before.startedAt ?? now.toISOString();
  const finishedAt = ended.includes(change.status) ? { finishedAt: now.toISOString() } : {};
  return { ...reports, [step]: { ...before, ...lasting, ...change, startedAt, ...finishedAt } };
}

/** The reports of a job that is continued after it failed. */
export function withoutFailure(reports: StepReports): StepReports {
  const steps = Object.entries(reports).filter(([, report]) => report?.status !== 'failed');
  return Object.fromEntries(steps) as StepReports;
}

/** Why a step failed. */
export type StepError = NonNullable<StepReport['error']>;

function isUnderWay(report: { readonly status: StepStatus } | undefined): boolean {
  return report?.status === 'running' || report?.status === 'waiting_manual';
}

/** The reports after all running and waiting steps have failed; later steps are not reached. */
export function failUnderWay(reports: StepReports, error: StepError, now: Date): StepReports {
  const underWay = requestSteps.filter((step) => isUnderWay(reports[step])).at(-1);
  const next = requestSteps.find((step) => reports[step] === undefined);
  const step = underWay ?? next;
  if (step === undefined) return reports;
  const end = { status: 'failed' as const, detail: error.message, error, ...failedItems(reports[step]) };
  return changeStep(reports, step, end, now);
}

type Items = Readonly<Record<string, { readonly status: StepStatus }>>;

/** Running parts of a step fail with it. */
function failedItems(report: StepReport | undefined): { readonly items?: Items } {
  const { items } = (report ?? {}) as { readonly items?: Items };
  if (items === undefined) return {};
  const ended = Object.entries(items).map(([name, item]) => {
    const status = isUnderWay(item) ? ('failed' as const) : item.status;
    return [name, { ...item, status }] as const;
  });
  return { items: Object.fromEntries(ended) };
}
