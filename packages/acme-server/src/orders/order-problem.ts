import {
  AcmeProblem,
  type AcmeProblemDocument,
  type AcmeSubproblem,
  acmeErrorNamespace,
  acmeProblemDocument,
} from '@certloop/contracts';
import { authorizationStatus } from '../records/order-status.js';
import type { Authorization, Order } from '../records/records.js';

/**
 * Why an invalid order is invalid: what issuing failed for, else what each of its authorizations failed for as
 * subproblems (RFC 8555 §6.7.1), else that it ended.
 */
export function orderProblem(
  order: Order,
  authorizations: readonly Authorization[],
  now: Date,
): AcmeProblemDocument {
  if (order.problem !== undefined) return order.problem;
  const subproblems = authorizations.flatMap((authorization) => subproblemsOf(authorization, now));
  const detail = subproblems.length > 0 ? 'not every identifier is authorized' : 'the order has ended';
  return acmeProblemDocument(new AcmeProblem('unauthorized', detail, { subproblems }));
}

function subproblemsOf(authorization: Authorization, now: Date): AcmeSubproblem[] {
  const status = authorizationStatus(authorization, now);
  if (status === 'valid' || status === 'pending') return [];
  const { type, value, wildcard } = authorization.identifier;
  const identifier = { type, value: wildcard ? `*.${value}` : value };
  const failed = authorization.challenges.flatMap(({ problem }) => problem ?? []);
  if (status === 'invalid' && failed.length > 0)
    return failed.map((problem) => ({ type: problem.type, detail: problem.detail, identifier }));
  return [
    { type: `${acmeErrorNamespace}unauthorized`, detail: `the authorization is ${status}`, identifier },
  ];
}
