import type { Caller } from '../../access/caller.js';
import type { AuditEntry } from '../../audit/audit-entry.js';

/** Who asked for a job, as the audit log names them when it ends. */
export interface JobCaller {
  readonly kind: Caller['kind'];
  readonly userId: string;
  readonly username: string;
  readonly tokenId?: string;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly userAgent: string;
}

/** Members of a caller that are stored with a job. */
export function jobCallerOf(caller: Caller): JobCaller {
  const { kind, userId, username, tokenId, requestId, ipAddress, userAgent } = caller;
  return {
    kind,
    userId,
    username,
    ...(tokenId !== undefined && { tokenId }),
    requestId,
    ipAddress,
    userAgent,
  };
}

/** The caller again, without permissions: those were checked when they asked. */
export function callerOfJob({ caller }: { readonly caller: JobCaller }): Caller {
  return { ...caller, isAdmin: false, hasFullAccess: false, spaceLevels: new Map() };
}

interface AuditedJob {
  readonly id: string;
  readonly cause: 'request' | 'sign' | 'renewal' | 'client';
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly csrId: string;
  readonly providerId: string;
  readonly replacesId: string | null;
  readonly orderId: string | null;
  readonly clientId: string | null;
  readonly accountId: string | null;
}

/** Ids by which the audit log names an issuance: those of its order, client and account if it is one of an ACME client. */
export function idsOfIssuance({
  id: jobId,
  cause,
  orderId,
  clientId,
  accountId,
}: Pick<AuditedJob, 'id' | 'cause' | 'orderId' | 'clientId' | 'accountId'>): Readonly<
  Record<string, unknown>
> {
  return cause === 'client' ? { orderId, clientId, accountId } : { jobId };
}

/** The end of a job: with the new certificate, or without one. */
export function jobAudit(
  job: AuditedJob,
  fqdn: string | undefined,
  details: Readonly<Record<string, unknown>>,
  certificateId?: string,
): AuditEntry {
  const { fqdnId, spaceId, csrId, providerId, replacesId } = job;
  const facts = {
    ...(fqdn !== undefined && { fqdn }),
    fqdnId,
    ...idsOfIssuance(job),
    providerId,
    ...details,
  };
  if (job.cause === 'sign') {
    return { action: 'csr.sign', resourceType: 'csr', resourceId: csrId, spaceId, details: facts };
  }
  if (certificateId === undefined) {
    return { action: 'certificate.fail', resourceType: 'fqdn', resourceId: fqdnId, spaceId, details: facts };
  }
  return {
    action: replacesId === null ? 'certificate.issue' : 'certificate.replace',
    resourceType: 'certificate',
    resourceId: certificateId,
    spaceId,
    details: { ...facts, ...(replacesId !== null && { previous: replacesId }) },
  };
}
