import {
  type AppError,
  type ErrorKind,
  type FieldFault,
  InvalidInput,
  type Problem,
  type RefusalDetails,
} from '@certloop/contracts';

const titles: Readonly<Record<ErrorKind, string>> = {
  invalid_input: 'Invalid input',
  unauthenticated: 'Not signed in',
  forbidden: 'Not permitted',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  request_timeout: 'Request timeout',
  conflict: 'Conflict',
  payload_too_large: 'Too large',
  unsupported_media_type: 'Unsupported media type',
  too_many_requests: 'Too many requests',
  header_fields_too_large: 'Header fields too large',
  internal: 'Internal error',
  upstream_failed: 'Another service failed',
  unavailable: 'Unavailable',
  upstream_timeout: 'Another service did not answer in time',
};

/**
 * Body of a refusal: a problem document (RFC 9457) that also carries its sentence as `message` and its title
 * as `error`, so that readers of either find what they look for. `instance` is the path of the request.
 */
export function describeProblem(refusal: AppError, instance: string, requestId: string): Problem {
  const title = refusal.title ?? titles[refusal.kind];
  const detail = plainText(refusal.message);
  return {
    type: `/problems/${refusal.code.replaceAll('_', '-')}`,
    title,
    status: refusal.status,
    detail,
    instance,
    error: title,
    message: detail,
    code: refusal.code,
    requestId,
    ...(refusal.fields.length > 0 && { errors: refusal.fields.slice(0, maxFaults).map(plainFault) }),
    ...(refusal.fix !== undefined && { fix: refusal.fix }),
  };
}

// a small body can have a fault in each of its thousands of members
const maxFaults = 100;

function plainFault({ path, code, message }: FieldFault): FieldFault {
  return { path: plainText(path), code, message: plainText(message) };
}

/** Long enough for every sentence of our own; what another service said is cut. */
const maxLength = 500;

function plainText(text: string): string {
  const plain = text.replace(/\p{Cc}+/gu, ' ');
  return plain.length <= maxLength ? plain : `${plain.slice(0, maxLength - 1)}…`;
}

/** Refusal of one field of an input; its message names members of a query without `query.`, as callers send them. */
export function invalidField(
  path: string,
  message: string,
  code = 'not_allowed',
  details: Pick<RefusalDetails, 'code' | 'title'> = {},
): InvalidInput {
  const name = path.replace(/^query\./, '');
  return new InvalidInput(`${name}: ${message}`, { ...details, fields: [{ path, code, message }] });
}
