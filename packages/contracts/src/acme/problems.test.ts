import { describe, expect, test } from 'vitest';
import { NotFound, Unauthenticated } from '../errors.js';
import {
  AcmeProblem,
  type AcmeProblemType,
  acmeProblemDocument,
  acmeProblemSchema,
  acmeProblemType,
} from './problems.js';

describe('acmeProblemDocument', () => {
  test.each<[AcmeProblemType, number]>([
    ['accountDoesNotExist', 400],
    ['alreadyReplaced', 409],
    ['badCSR', 400],
    ['badNonce', 400],
    ['orderNotReady', 403],
    ['rateLimited', 429],
    ['serverInternal', 500],
    ['unauthorized', 403],
    ['userActionRequired', 403],
  ])('%s has the status %i', (type, status) => {
    expect(acmeProblemDocument(new AcmeProblem(type, 'why'))).toEqual({
      type: `urn:ietf:params:acme:error:${type}`,
      detail: 'why',
      status,
    });
  });

  test('shows subproblems and further members', () => {
    const identifier = { type: 'dns', value: 'a.test' };
    const subproblems = [{ type: 'urn:ietf:params:acme:error:malformed', detail: 'short', identifier }];
    const problem = new AcmeProblem('badSignatureAlgorithm', 'why', {
      subproblems,
      members: { algorithms: ['ES256'] },
    });
    const document = acmeProblemDocument(problem);
    expect(document).toMatchObject({ subproblems, algorithms: ['ES256'] });
    expect(acmeProblemSchema.parse(document)).toEqual(document);
  });

  test.each([
    ['what does not exist', new NotFound('gone'), 'malformed', 404],
    ['who is not known', new Unauthenticated('who?'), 'unauthorized', 401],
    [
      'another status than the table',
      new AcmeProblem('unauthorized', 'x', { kind: 'unauthenticated' }),
      'unauthorized',
      401,
    ],
  ])('maps errors of other kinds to ACME problems: %s', (_, refusal, type, status) => {
    const document = acmeProblemDocument(refusal);
    expect([acmeProblemType(document), document.status]).toEqual([type, status]);
  });
});

test('a type outside the ACME namespace is not an ACME type', () => {
  expect(acmeProblemType({ type: 'about:blank' })).toBeUndefined();
});
