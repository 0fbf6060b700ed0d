import { UpstreamFailed } from '@certloop/contracts/browser';
import { describe, expect, test } from 'vitest';
import { faultsOf, fixOf, isTemporary, refusalFrom, sentenceOf, statusOf } from './refusal.js';

const none = new Headers();
const problem = JSON.stringify({
  detail: 'name: must not be empty',
  code: 'invalid_input',
  requestId: 'r-7',
  errors: [
    { path: 'name', code: 'empty', message: 'must not be empty' },
    { path: 'name', code: 'other', message: 'second' },
    'nonsense',
    { path: 7 },
  ],
});

describe('a response', () => {
  test.each([
    ['problem document', 400, problem, 'invalid_input', 'name: must not be empty'],
    ["the monitor's body", 403, '{"error":"not yours"}', 'forbidden', 'not yours'],
    [
      'text of a proxy',
      502,
      '<html>Bad gateway</html>',
      'upstream_failed',
      'The service answered with status 502.',
    ],
    ['nothing', 401, '', 'unauthenticated', 'The service answered with status 401.'],
    ['JSON that is not an object', 404, 'null', 'not_found', 'The service answered with status 404.'],
    ['empty sentences', 409, '{"detail":"","error":7}', 'conflict', 'The service answered with status 409.'],
    ['a status without a known kind', 418, '{"error":"teapot"}', 'invalid_input', 'teapot'],
    ['a draining service', 503, '{"error":"stopping"}', 'unavailable', 'stopping'],
  ])('%s', (_, status, text, kind, message) => {
    const refusal = refusalFrom(status, none, text);
    expect(refusal).toMatchObject({ kind, message, answered: status });
    expect(statusOf(refusal)).toBe(status);
  });

  test.each([
    [
      403,
      'insufficient_level',
      'this needs READ_WRITE on the space; you hold READ',
      'This needs READ_WRITE on the space; you hold READ. An administrator can give you this level by a group.',
    ],
    [
      403,
      'admin_required',
      'this is restricted to administrators',
      'This is restricted to administrators. An administrator can make you an administrator.',
    ],
    [
      403,
      '',
      'this needs the role member in the project',
      'This needs the role member in the project. The owner of the project can change your role.',
    ],
    [
      403,
      'full_access_required',
      'this needs FULL_ACCESS to all spaces',
      'This needs FULL_ACCESS to all spaces. An administrator can give you this level by a group.',
    ],
    [
      403,
      'session_required',
      'this needs a session: sign in with user name and password',
      'This needs a session: sign in with user name and password. Every user may do this after signing in.',
    ],
    [
      403,
      'token_required',
      'this call needs an API token: send one as Bearer',
      'This call needs an API token: send one as Bearer. Every user may create an API token on the page of their account.',
    ],
    [
      403,
      'token_read_only',
      'this API token may only read',
      'This API token may only read. The user of the token may create one with the scope READ_WRITE.',
    ],
    [
      403,
      'not_own_account',
      'only the user and administrators may do this',
      'Only the user and administrators may do this. An administrator can do this for you.',
    ],
    [403, 'csrf_refused', 'refused', 'refused'],
    [400, 'insufficient_level', 'no right', 'no right'],
  ])('with %s %s names who can grant the right', (status, code, detail, sentence) => {
    expect(sentenceOf(refusalFrom(status, none, JSON.stringify({ detail, code })))).toBe(sentence);
  });

  test('keeps what repairs the input, as far as it is text', () => {
    const fix = { openssl: 'openssl req -new', certreq: 7, text: 'Create the CSR again.' };
    const refusal = refusalFrom(400, none, JSON.stringify({ detail: 'another name', fix }));
    expect(fixOf(refusal)).toEqual({ openssl: fix.openssl, text: fix.text });
    expect(fixOf(refusalFrom(400, none, JSON.stringify({ detail: 'x', fix: 'x' })))).toBeUndefined();
    expect(fixOf(new Error('x'))).toBeUndefined();
  });

  test('keeps code, faults that have a path, and the id of the request', () => {
    const refusal = refusalFrom(400, none, problem);
    expect(refusal).toMatchObject({ code: 'invalid_input', requestId: 'r-7' });
    expect(refusal.fields.map(({ message }) => message)).toEqual(['must not be empty', 'second']);
    expect(refusalFrom(500, new Headers({ 'x-request-id': 'r-8' }), '').requestId).toBe('r-8');
  });

  test.each([
    ['17', 17],
    ['0', 0],
    ['Fri, 31 Dec 1999 23:59:59 GMT', undefined],
    ['-3', undefined],
  ])('reads Retry-After %s', (value, seconds) => {
    expect(refusalFrom(429, new Headers({ 'retry-after': value }), '').retryAfterSeconds).toBe(seconds);
  });
});

test.each([
  [408, true],
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [401, false],
  [404, false],
  [409, false],
])('retries after status %i: %s', (status, expected) => {
  expect(isTemporary(refusalFrom(status, none, ''))).toBe(expected);
});

test('retries without a response, and says so in a readable sentence', () => {
  const silence = new UpstreamFailed('GET /auth/me: fetch failed');
  expect(isTemporary(silence)).toBe(true);
  expect(statusOf(silence)).toBeUndefined();
  expect(sentenceOf(silence)).toMatch(/^The service does not answer/);
});

describe('faults of a form', () => {
  test('are assigned to the field that the monitor names in its sentence', () => {
    const refusal = refusalFrom(400, none, '{"error":"settings.url: must be an http address"}');
    expect(faultsOf(refusal, ['settings.url'])).toEqual({
      byField: { 'settings.url': 'Must be an http address.' },
      general: undefined,
    });
    expect(faultsOf(refusal, ['name']).general).toBe('Settings.url: must be an http address.');
  });

  test('are assigned to the field that the monitor names in the words of Healthchecks', () => {
    const refusal = refusalFrom(400, none, '{"error":"json validation error: slug does not match pattern"}');
    expect(faultsOf(refusal, ['slug']).byField).toEqual({ slug: 'It does not match pattern.' });
  });

  test('are assigned to the fields of the form, the first of each', () => {
    const refusal = refusalFrom(400, none, problem);
    expect(faultsOf(refusal, ['name', 'email'])).toEqual({
      byField: { name: 'Must not be empty.' },
      general: undefined,
    });
    expect(faultsOf(refusal, ['email'])).toEqual({ byField: {}, general: 'Name: must not be empty.' });
  });

  test.each(['names[2]', 'names.2'])('of an entry are assigned to the field of its list: %s', (path) => {
    const errors = [{ path, message: 'must be a host name' }];
    const refusal = refusalFrom(400, none, JSON.stringify({ detail: 'wrong', errors }));
    expect(faultsOf(refusal, ['name', 'names']).byField).toEqual({ names: 'Must be a host name.' });
  });

  test('of members that the form does not have are shown next to those of its fields', () => {
    const errors = [
      { path: 'name', message: 'must not be empty' },
      { path: 'spaceIds.0', message: 'does not exist' },
    ];
    const refusal = refusalFrom(400, none, JSON.stringify({ detail: 'Two faults.', errors }));
    expect(faultsOf(refusal, ['name'])).toEqual({
      byField: { name: 'Must not be empty.' },
      general: 'SpaceIds.0: does not exist.',
    });
    expect(faultsOf(refusal, ['spaceIds']).byField).toEqual({ spaceIds: 'Does not exist.' });
  });

  test('are empty without an error', () => {
    expect(faultsOf(null, ['name'])).toEqual({ byField: {}, general: undefined });
  });
});
