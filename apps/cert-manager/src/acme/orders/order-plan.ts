import {
  type AcmeAuthorization,
  type AcmeChallenge,
  type AcmeIdentifier,
  type AcmeOrder,
  AcmeProblem,
} from '@certloop/contracts';
import { problemOf } from '../problem-reading.js';

/** An authorization and where it is. */
export interface AuthorizationAt {
  readonly url: string;
  readonly authorization: AcmeAuthorization;
}

/** Next action for an order. */
export type OrderMove =
  | { readonly kind: 'wait' }
  | { readonly kind: 'prove'; readonly authorizations: readonly AuthorizationAt[] }
  | { readonly kind: 'finalize' }
  | { readonly kind: 'download'; readonly certificateUrl: string }
  | { readonly kind: 'fail'; readonly problem: AcmeProblem };

/**
 * Next move for an order by its state (RFC 8555 §7.1.6). `answered` holds the URLs of the challenges that the CA
 * was asked to validate: their authorizations are waited for.
 */
export function planOrder(
  order: AcmeOrder,
  authorizations: readonly AuthorizationAt[],
  answered: ReadonlySet<string>,
): OrderMove {
  switch (order.status) {
    case 'valid':
      return order.certificate === undefined
        ? { kind: 'wait' }
        : { kind: 'download', certificateUrl: order.certificate };
    case 'ready':
      return { kind: 'finalize' };
    case 'processing':
      return { kind: 'wait' };
    case 'invalid':
      return { kind: 'fail', problem: failureOf(order, authorizations) };
    case 'pending':
      return planProofs(order, authorizations, answered);
  }
}

function planProofs(
  order: AcmeOrder,
  authorizations: readonly AuthorizationAt[],
  answered: ReadonlySet<string>,
): OrderMove {
  if (authorizations.some(({ authorization }) => isDead(authorization))) {
    return { kind: 'fail', problem: failureOf(order, authorizations) };
  }
  const open = authorizations.filter(({ authorization: { status, challenges } }) => {
    const isUnderWay = challenges.some(
      ({ url, status: state }) => answered.has(url) || state === 'processing',
    );
    return status === 'pending' && !isUnderWay;
  });
  return open.length === 0 ? { kind: 'wait' } : { kind: 'prove', authorizations: open };
}

function isDead({ status }: AcmeAuthorization): boolean {
  return status !== 'pending' && status !== 'valid';
}

/** Why an order failed: what the CA says of its challenges, else of the order. */
function failureOf(order: AcmeOrder, authorizations: readonly AuthorizationAt[]): AcmeProblem {
  const errors = authorizations.flatMap(({ authorization: { identifier, challenges } }) =>
    challenges.flatMap(({ error }) => (error === undefined ? [] : [{ error, name: identifier.value }])),
  );
  const [first] = errors;
  if (first !== undefined) {
    const { type, subproblems, members } = problemOf(first.error);
    const sentences = errors.map(({ error, name }) => `${name}: ${problemOf(error).message}`);
    return new AcmeProblem(type, sentences.join('; '), { subproblems, members });
  }
  if (order.error !== undefined) return problemOf(order.error);
  const dead = authorizations.find(({ authorization }) => isDead(authorization))?.authorization;
  const reason = dead === undefined ? 'the order is invalid' : `${dead.identifier.value} is ${dead.status}`;
  return new AcmeProblem('malformed', `the CA gives no reason: ${reason}`);
}

/** Ways in which this service proves control. */
export const proofTypes = ['http-01', 'dns-01'] as const;
export type ProofType = (typeof proofTypes)[number];

/** A challenge that is to be met. */
export interface ChosenChallenge {
  readonly type: ProofType;
  readonly url: string;
  readonly token: string;
}

/**
 * Challenge by which an authorization is proven, the wanted types first to last. Throws AcmeProblem when the CA
 * offers none of them.
 */
export function chooseChallenge(
  { identifier, challenges, wildcard }: AcmeAuthorization,
  wanted: readonly ProofType[],
): ChosenChallenge {
  for (const type of wanted) {
    const found = challenges.find((challenge) => challenge.type === type);
    if (found?.token !== undefined) return { type, url: found.url, token: requireToken(found, found.token) };
  }
  const name = wildcard === true ? `*.${identifier.value}` : identifier.value;
  const offered = challenges.map(({ type }) => type).join(', ') || 'nothing';
  throw new AcmeProblem(
    'unsupportedIdentifier',
    `${name}: the CA offers ${offered}, and ${wanted.join(' or ')} is configured`,
  );
}

/** Why the names cannot be proven in the configured way, before anything is ordered; undefined when they can. */
export function proofObstacle(
  identifiers: readonly AcmeIdentifier[],
  wanted: readonly ProofType[],
): string | undefined {
  const wildcard = identifiers.find(({ type, value }) => type === 'dns' && value.startsWith('*.'));
  if (wildcard !== undefined && !wanted.includes('dns-01')) {
    return `${wildcard.value} can only be proven by dns-01 (RFC 8555 §8.4)`;
  }
  const address = identifiers.find(({ type }) => type === 'ip');
  if (address !== undefined && !wanted.includes('http-01')) {
    return `${address.value} cannot be proven by dns-01 (RFC 8738 §7)`;
  }
  return undefined;
}

/** RFC 8555 §8: a token is base64url; anything else would not be safe in a path or a record. */
function requireToken({ url }: AcmeChallenge, token: string): string {
  if (/^[\w-]{16,128}$/.test(token)) return token;
  throw new AcmeProblem('malformed', `the challenge ${url} has no valid token`);
}
