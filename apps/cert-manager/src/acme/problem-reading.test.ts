import { describe, expect, test } from 'vitest';
import {
  caProblemType,
  isForgotten,
  isPermanent,
  isValidation,
  problemOf,
  readProblem,
} from './problem-reading.js';

const acme = (name: string) => `urn:ietf:params:acme:error:${name}`;
const answer = (status: number, document: object | string, retryAfter: string | null = null) =>
  readProblem({
    status,
    text: typeof document === 'string' ? document : JSON.stringify(document),
    retryAfter,
  });

describe('the problem document of a response', () => {
  test.each([
    ['an ACME problem', 403, { type: acme('caa'), detail: 'no' }, 'caa', 'no'],
    ['one without detail', 400, { type: acme('badCSR') }, 'badCSR', 'badCSR'],
    [
      'a type that this version does not know',
      400,
      { type: acme('tooPurple'), detail: 'no' },
      'malformed',
      'no',
    ],
    [
      'a problem document that is not an ACME problem',
      503,
      { type: 'about:blank', detail: 'later' },
      'serverInternal',
      'later',
    ],
    ['an answer that is not a problem document', 502, '<html>', 'serverInternal', 'the CA answered with 502'],
    ['too many requests without words', 429, '', 'rateLimited', 'the CA answered with 429'],
    ['a refusal without words', 403, '', 'unauthorized', 'the CA answered with 403'],
  ])('%s', (_, status, document, type, message) => {
    expect(answer(status, document)).toMatchObject({ type, message });
  });

  test('names each subproblem with its identifier', () => {
    const subproblems = [
      { type: acme('caa'), detail: 'forbidden', identifier: { type: 'dns', value: 'a.example' } },
      { type: acme('dns'), detail: 'no answer' },
    ];
    expect(answer(400, { type: acme('compound'), detail: 'several', subproblems }).message).toBe(
      'several; a.example: forbidden; no answer',
    );
  });

  test('preserves Retry-After and the spelling of the type', () => {
    const problem = answer(429, { type: acme('rateLimited') }, '120');
    expect(problem.headers).toEqual({ 'Retry-After': '120' });
    expect(caProblemType(answer(400, { type: 'https://ca/errors/odd' }))).toBe('https://ca/errors/odd');
  });
});

test.each([
  ['badCSR', true],
  ['rejectedIdentifier', true],
  ['caa', true],
  ['unauthorized', true],
  ['rateLimited', false],
  ['serverInternal', false],
  ['connection', false],
  ['dns', false],
])('%s: is permanent: %s', (name, expected) => {
  expect(isPermanent(problemOf({ type: acme(name) }))).toBe(expected);
});

test.each([
  [401, '<h1>Unauthorized</h1>'],
  [403, '<h1>Forbidden</h1>'],
  [403, '{"type":"about:blank","detail":"blocked"}'],
])('an answer of %i without an ACME type is not permanent', (status, text) => {
  const problem = readProblem({ status, text, retryAfter: null });
  expect([isPermanent(problem), isValidation(problem)]).toEqual([false, false]);
});

test.each([
  ['connection', true],
  ['dns', true],
  ['caa', true],
  ['incorrectResponse', true],
  ['unauthorized', true],
  ['rateLimited', false],
])('%s: a name could not be validated: %s', (name, expected) => {
  expect(isValidation(problemOf({ type: acme(name) }))).toBe(expected);
});

test('a subproblem of failed validation makes the whole problem a failed validation', () => {
  const subproblems = ['rateLimited', 'dns'].map((name) => ({ type: acme(name) }));
  expect(isValidation(problemOf({ type: acme('compound'), subproblems }))).toBe(true);
});

test.each([
  ['every part is', ['caa', 'rejectedIdentifier'], true],
  ['a part may pass', ['caa', 'dns'], false],
])('several problems are permanent when %s', (_, names, expected) => {
  const subproblems = names.map((name) => ({ type: acme(name) }));
  expect(isPermanent(problemOf({ type: acme('compound'), subproblems }))).toBe(expected);
});

test.each([
  ['an order that is not there', 404, acme('malformed'), true],
  ['an account that is not there', 400, acme('accountDoesNotExist'), true],
  ['a refusal', 403, acme('unauthorized'), false],
])('%s', (_, status, type, expected) => {
  expect(isForgotten(answer(status, { type }))).toBe(expected);
});
