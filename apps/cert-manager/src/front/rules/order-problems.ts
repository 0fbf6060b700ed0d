import {
  AcmeProblem,
  type AcmeProblemDocument,
  type AcmeProblemType,
  acmeErrorNamespace,
  acmeProblemDocument,
} from '@certloop/contracts';

// none is `serverInternal`: clients would report a fault of this server

const problemOf = (type: AcmeProblemType, detail: string): AcmeProblemDocument =>
  acmeProblemDocument(new AcmeProblem(type, detail));

/** Why an order is over whose FQDN or space was deleted. */
export const deletedProblem = problemOf(
  'unauthorized',
  'the name or the space of this order was deleted in CertLoop; place another order',
);

/** Why an order is over whose client was deleted, or whose account was deactivated. */
export const endedProblem = problemOf('unauthorized', 'the account of this order has ended');

/** Why an order is over for which nothing is issued any more. */
export const lostProblem = problemOf(
  'rateLimited',
  'the issuance of this order was lost; place another order',
);

/** Why an issuance failed, as it reports it. */
export interface IssuanceProblem {
  readonly reason: string;
  readonly code?: string | undefined;
  /** Type of the problem as the CA spells it. */
  readonly problemType?: string | undefined;
  /** Asking again changes nothing until someone does something about it. */
  readonly isPermanent?: boolean | undefined;
  readonly isRateLimited?: boolean | undefined;
  readonly retryAt?: Date | undefined;
}

const acmeType = /^urn:ietf:params:acme:error:[A-Za-z]{1,64}$/;
const fault = `${acmeErrorNamespace}serverInternal`;

/**
 * The problem of an order whose issuance failed. `rateLimited` with the moment from which on another order may succeed, unless
 * asking again is of no use: then that of the CA with its type, if it gave one of ACME, else `rejectedIdentifier`.
 */
export function failedProblem(problem: IssuanceProblem): AcmeProblemDocument {
  const { reason, problemType, isPermanent = false, isRateLimited = false, retryAt } = problem;
  if (isRateLimited || !isPermanent) {
    const again = retryAt === undefined ? 'later' : `after ${retryAt.toISOString()}`;
    const document = problemOf('rateLimited', `${reason}; place another order ${again}`);
    return retryAt === undefined ? document : { ...document, retryAt: retryAt.toISOString() };
  }
  const isOfCa = problemType !== undefined && acmeType.test(problemType) && problemType !== fault;
  return { ...problemOf('rejectedIdentifier', reason), ...(isOfCa && { type: problemType }) };
}

// CAs do not say when a fault passes
const pauseMs = 60_000;

/**
 * The moment from which on another order may succeed: as `failedProblem` writes it, or else some time after the end of an order
 * whose problem passes.
 */
export function retryMomentOf(
  { type, retryAt }: AcmeProblemDocument,
  endedAt?: Date | null,
): Date | undefined {
  const moment = typeof retryAt === 'string' ? new Date(retryAt) : undefined;
  if (moment !== undefined && !Number.isNaN(moment.getTime())) return moment;
  const isPassing = type === `${acmeErrorNamespace}rateLimited`;
  return isPassing && endedAt != null ? new Date(endedAt.getTime() + pauseMs) : undefined;
}
