import type { IssuanceJob, RequestReply } from '@certloop/contracts';
import type { CertificateRow } from '../certificates/certificates.repository.js';
import type { IssuanceJobRow } from './issuance-jobs.repository.js';
import type { RequestState } from './request-certificate.service.js';
import { allSteps } from './request-plan.js';

type ShownCertificate = Pick<CertificateRow, 'id' | 'pem'>;

/** Answer to a request by where it stands. */
export function requestView(state: RequestState): RequestReply {
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
  { status, message, steps }: IssuanceJobRow,
  certificate: ShownCertificate | undefined,
): RequestReply {
  return {
    success: status === 'completed',
    message,
    ...(certificate !== undefined && { certificate: { id: certificate.id, pem: certificate.pem } }),
    stepStatus: allSteps(steps),
  };
}

/** A job, live or afterwards. */
export function jobView(job: IssuanceJobRow, certificate: ShownCertificate | undefined): IssuanceJob {
  return {
    id: job.id,
    fqdnId: job.fqdnId,
    spaceId: job.spaceId,
    status: job.status,
    ...jobReply(job, certificate),
    createdAt: job.createdAt.toISOString(),
    ...(job.finishedAt !== null && { finishedAt: job.finishedAt.toISOString() }),
  };
}

/** The job that a request has led to. */
export function jobOf(state: RequestState): IssuanceJobRow | undefined {
  return state.kind === 'job' ? state.job : undefined;
}

/** Where a job can be followed; nothing for one that is over. */
export function followHeaders(
  job: Pick<IssuanceJobRow, 'id' | 'status'> | undefined,
): Record<string, string> {
  const isOpen = job?.status === 'running' || job?.status === 'waiting';
  return isOpen ? { Location: `/issuance-jobs/${job.id}` } : {};
}
