import {
  AcmeProblem,
  type AcmeProblemDocument,
  type AcmeProblemType,
  acmeProblemDocument,
} from '@certloop/contracts';

const problemOf = (type: AcmeProblemType, detail: string): AcmeProblemDocument =>
  acmeProblemDocument(new AcmeProblem(type, detail));

/** Why an order is over whose FQDN or space was deleted. */
export const deletedProblem = problemOf(
  'serverInternal',
  'what the order was for was deleted; place another order',
);

/** Why an order is over whose client was deleted, or whose account was deactivated. */
export const endedProblem = problemOf('unauthorized', 'the account of this order has ended');

/** Why an order is over for which nothing is issued any more. */
export const lostProblem = problemOf(
  'serverInternal',
  'the issuance of this order was lost; place another order',
);

/** Why an issuance failed, as it reports it. */
export interface IssuanceProblem {
  readonly reason: string;
  readonly code?: string | undefined;
  /** Type of the problem as the CA spells it. */
  readonly problemType?: string | undefined;
  /** Whether asking again changes nothing; false if the CA only can do nothing for now. */
  readonly isPermanent?: boolean | undefined;
  readonly isRateLimited?: boolean | undefined;
  readonly retryAt?: Date | undefined;
}

const acmeType = /^urn:ietf:params:acme:error:[A-Za-z]{1,64}$/;

/**
 * The problem of an order whose issuance failed: that of the CA with its type, if it gave one of ACME. Of a CA that can do nothing
 * for now, the client learns that it is to come back, and when.
 */
export function failedProblem({
  reason,
  problemType,
  isPermanent,
  isRateLimited,
  retryAt,
}: IssuanceProblem): AcmeProblemDocument {
  const again = retryAt === undefined ? 'later' : `after ${retryAt.toISOString()}`;
  if (isRateLimited === true || isPermanent === false)
    return problemOf('rateLimited', `${reason}; place another order ${again}`);
  const document = problemOf(isPermanent === true ? 'unauthorized' : 'serverInternal', reason);
  return problemType !== undefined && acmeType.test(problemType)
    ? { ...document, type: problemType }
    : document;
}
