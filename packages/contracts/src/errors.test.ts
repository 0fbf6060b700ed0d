import { describe, expect, test } from 'vitest';
import {
  AppError,
  Conflict,
  type ErrorKind,
  Forbidden,
  InvalidInput,
  MethodNotAllowed,
  NotFound,
  statusByKind,
  TooManyRequests,
  Unauthenticated,
  UpstreamFailed,
} from './errors.js';

const statuses: readonly (readonly [ErrorKind, number])[] = [
  ['invalid_input', 400],
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['not_found', 404],
  ['method_not_allowed', 405],
  ['request_timeout', 408],
  ['conflict', 409],
  ['payload_too_large', 413],
  ['unsupported_media_type', 415],
  ['too_many_requests', 429],
  ['header_fields_too_large', 431],
  ['internal', 500],
  ['upstream_failed', 502],
  ['unavailable', 503],
  ['upstream_timeout', 504],
];

describe('status by kind', () => {
  test.each(statuses)('%s is %i', (kind, status) => {
    expect(new AppError(kind, 'said').status).toBe(status);
  });

  test('the table has no other kind, and no status twice', () => {
    expect(Object.entries(statusByKind)).toEqual(statuses);
    expect(new Set(Object.values(statusByKind)).size).toBe(statuses.length);
  });
});

describe('refusals', () => {
  test.each([
    ['InvalidInput', new InvalidInput('said'), 400],
    ['Unauthenticated', new Unauthenticated('said'), 401],
    ['Forbidden', new Forbidden('said'), 403],
    ['NotFound', new NotFound('said'), 404],
    ['Conflict', new Conflict('said'), 409],
    ['UpstreamFailed', new UpstreamFailed('said'), 502],
    ['UpstreamFailed', new UpstreamFailed('said', { timedOut: true }), 504],
  ])('%s: %p is %i', (name, refusal, status) => {
    expect(refusal).toBeInstanceOf(AppError);
    expect({ name: refusal.name, status: refusal.status, message: refusal.message }).toEqual({
      name,
      status,
      message: 'said',
    });
  });

  test('the code is the kind unless a narrower one is given', () => {
    expect(new Conflict('said').code).toBe('conflict');
    expect(new Conflict('said', { code: 'space_not_empty' }).code).toBe('space_not_empty');
  });

  test('of a method names those of the path', () => {
    expect(new MethodNotAllowed('PUT', 'GET, HEAD')).toMatchObject({
      kind: 'method_not_allowed',
      message: 'PUT is not allowed here',
      headers: { Allow: 'GET, HEAD' },
    });
  });

  test.each([
    [0, 1],
    [0.2, 1],
    [59.1, 60],
  ])('of too many requests asks to wait %p s as %i whole seconds', (wait, seconds) => {
    expect(new TooManyRequests('too many', wait, { code: 'rate_limited' })).toMatchObject({
      kind: 'too_many_requests',
      code: 'rate_limited',
      message: `too many; try again in ${seconds} s`,
      headers: { 'Retry-After': String(seconds) },
    });
  });

  test('carries its cause, fields and headers', () => {
    const cause = new Error('socket hang up');
    const fields = [{ path: 'csr.dnsNames[0]', code: 'not_allowed', message: 'is not the FQDN' }];
    const refusal = new InvalidInput('said', { cause, fields, headers: { 'Retry-After': '3' } });
    expect(refusal).toMatchObject({ cause, fields, headers: { 'Retry-After': '3' } });
  });

  test('has no cause member without a cause', () => {
    expect('cause' in new NotFound('said')).toBe(false);
  });
});
