import {
  type IssuanceJob,
  type ListedIssuanceJob,
  type RequestReply,
  requestSteps,
} from '@certloop/contracts';
import { allSteps, type StepReports } from './jobs/request-plan.js';
import { type IssuanceState, jobStatuses } from './signing/issuance-state.js';

interface ShownCertificate {
  readonly id: string;
  readonly pem: string;
}

interface ShownJob {
  readonly id: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly state: IssuanceState['state'];
  readonly message: string;
  readonly steps: StepReports;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** State of a request. */
type ShownRequest<Job extends ShownJob> =
  | { readonly kind: 'job'; readonly job: Job; readonly certificate?: ShownCertificate | undefined }
  | {
      readonly kind: 'unconfirmed';
      readonly serving: ShownCertificate & { readonly expiresAt: Date };
      readonly steps: StepReports;
    }
  | { readonly kind: 'refused'; readonly message: string; readonly steps: StepReports };

/** Response to a request, by its state. */
export function requestView(state: ShownRequest<ShownJob>): RequestReply {
  switch (state.kind) {
    case 'job':
      return jobReply(state.job, state.certificate);
    case 'refused':
      return { success: false, message: state.message, stepStatus: allSteps(state.steps) };
    case 'unconfirmed': {
      const { id, pem, expiresAt } = state.serving;
      const until = expiresAt.toISOString();
      return {
        success: false,
        message: `A valid certificate exists until ${until}; send confirmed:true to replace it`,
        certificate: { id, pem },
        requiresConfirmation: true,
        stepStatus: allSteps(state.steps),
      };
    }
  }
}

function jobReply(
  { state, message, steps }: ShownJob,
  certificate: ShownCertificate | undefined,
): RequestReply {
  return {
    success: state === 'issued',
    message,
    ...(certificate !== undefined && { certificate: { id: certificate.id, pem: certificate.pem } }),
    stepStatus: allSteps(steps),
  };
}

/** A running or finished job. */
export function jobView(job: ShownJob, certificate: ShownCertificate | undefined): IssuanceJob {
  return {
    id: job.id,
    fqdnId: job.fqdnId,
    spaceId: job.spaceId,
    status: jobStatuses[job.state],
    ...jobReply(job, certificate),
    createdAt: job.createdAt.toISOString(),
    ...endOf(job),
  };
}

/** When a job ended; nothing for an open one, also if it failed before and is continued. */
function endOf(job: ShownJob): { readonly finishedAt?: string } {
  return job.finishedAt === null || isOpen(job) ? {} : { finishedAt: job.finishedAt.toISOString() };
}

function isOpen({ state }: Pick<ShownJob, 'state'>): boolean {
  const status = jobStatuses[state];
  return status === 'running' || status === 'waiting';
}

/** A job in a list. */
export function listedJobView(
  job: ShownJob & {
    readonly cause: 'request' | 'sign' | 'renewal' | 'client';
    readonly caller: { readonly username: string };
    readonly providerId: string;
    readonly certificateId: string | null;
  },
): ListedIssuanceJob {
  const { id, fqdnId, spaceId, message, cause, caller, providerId, certificateId } = job;
  const status = jobStatuses[job.state];
  const failedStep = requestSteps.find((step) => job.steps[step]?.status === 'failed');
  return {
    id,
    fqdnId,
    spaceId,
    status,
    message,
    createdAt: job.createdAt.toISOString(),
    ...endOf(job),
    providerId,
    trigger: cause === 'sign' ? 'sign' : 'request',
    requestedBy: caller.username,
    ...(certificateId !== null && { certificateId }),
    ...(status === 'failed' && failedStep !== undefined && { failedStep }),
  };
}

/** The job of a request. */
export function jobOf<Job extends ShownJob>(state: ShownRequest<Job>): Job | undefined {
  return state.kind === 'job' ? state.job : undefined;
}

/** Location of an open job; no header for a finished one. */
export function followHeaders(job: Pick<ShownJob, 'id' | 'state'> | undefined): Record<string, string> {
  return job !== undefined && isOpen(job) ? { Location: `/issuance-jobs/${job.id}` } : {};
}
