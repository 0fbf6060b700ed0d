import { type AcmeAuthorization, type AcmeChallenge, type AcmeOrder, AcmeProblem } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { type AuthorizationAt, chooseChallenge, planOrder, proofObstacle } from './order-plan.js';

const order = (change: Partial<AcmeOrder>): AcmeOrder => ({
  status: 'pending',
  identifiers: [{ type: 'dns', value: 'a.example' }],
  authorizations: [],
  finalize: 'https://ca/finalize',
  ...change,
});
const challenge = (change: Partial<AcmeChallenge> = {}): AcmeChallenge => ({
  type: 'http-01',
  url: 'https://ca/challenge',
  status: 'pending',
  token: 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ',
  ...change,
});
const authorization = (change: Partial<AcmeAuthorization> = {}): AuthorizationAt => ({
  url: 'https://ca/authorization',
  authorization: {
    identifier: { type: 'dns', value: 'a.example' },
    status: 'pending',
    challenges: [challenge()],
    ...change,
  },
});
const refused = { type: 'urn:ietf:params:acme:error:connection', detail: 'no server there' };

describe('the next move for an order', () => {
  test.each<[string, Partial<AcmeOrder>, AuthorizationAt[], string[], string]>([
    ['pending, nothing proven → prove', {}, [authorization()], [], 'prove'],
    ['pending, the challenge answered → wait', {}, [authorization()], ['https://ca/challenge'], 'wait'],
    [
      'pending, the CA is looking → wait',
      {},
      [authorization({ challenges: [challenge({ status: 'processing' })] })],
      [],
      'wait',
    ],
    ['pending, everything valid → wait', {}, [authorization({ status: 'valid' })], [], 'wait'],
    [
      'pending, one of two to prove → prove',
      {},
      [authorization({ status: 'valid' }), authorization()],
      [],
      'prove',
    ],
    ['pending, one expired → fail', {}, [authorization(), authorization({ status: 'expired' })], [], 'fail'],
    ['ready → finalize', { status: 'ready' }, [], [], 'finalize'],
    ['processing → wait', { status: 'processing' }, [], [], 'wait'],
    ['valid → download', { status: 'valid', certificate: 'https://ca/certificate' }, [], [], 'download'],
    ['valid, the certificate not named yet → wait', { status: 'valid' }, [], [], 'wait'],
    ['invalid → fail', { status: 'invalid' }, [], [], 'fail'],
  ])('%s', (_, change, authorizations, answered, kind) => {
    expect(planOrder(order(change), authorizations, new Set(answered)).kind).toBe(kind);
  });

  test('takes the reason of a failure from its challenges, before the order itself', () => {
    const failed = authorization({ status: 'invalid', challenges: [challenge({ error: refused })] });
    const move = planOrder(order({ status: 'invalid', error: { type: 'about:blank' } }), [failed], new Set());
    expect(move).toMatchObject({ problem: { type: 'connection', message: 'a.example: no server there' } });
  });

  test('takes the reason of a failure from the order when no challenge names one', () => {
    const error = { type: 'urn:ietf:params:acme:error:caa', detail: 'not you' };
    const move = planOrder(order({ status: 'invalid', error }), [], new Set());
    expect(move).toMatchObject({ problem: { type: 'caa', message: 'not you' } });
  });
});

describe('the selected challenge', () => {
  const both = [challenge(), challenge({ type: 'dns-01', url: 'https://ca/dns' })];

  test.each([
    ['http-01', ['http-01'] as const, 'https://ca/challenge'],
    ['dns-01', ['dns-01'] as const, 'https://ca/dns'],
    ['the first wanted one', ['dns-01', 'http-01'] as const, 'https://ca/dns'],
  ])('is %s', (_, wanted, url) => {
    expect(chooseChallenge(authorization({ challenges: both }).authorization, wanted).url).toBe(url);
  });

  test('is undefined when the CA offers only other types', () => {
    const { authorization: offered } = authorization({ challenges: [challenge({ type: 'tls-alpn-01' })] });
    expect(() => chooseChallenge(offered, ['http-01'])).toThrow(
      'a.example: the CA offers tls-alpn-01, and http-01 is configured',
    );
  });

  test.each(['short', 'with/slash-in-the-token', '../../../../etc/passwd', ''])(
    'is undefined for the token %j',
    (token) => {
      const { authorization: offered } = authorization({ challenges: [challenge({ token })] });
      expect(() => chooseChallenge(offered, ['http-01'])).toThrow(AcmeProblem);
    },
  );
});

describe('names whose control cannot be proven', () => {
  const dns = (value: string) => ({ type: 'dns', value });
  test.each([
    ['a wildcard by http-01', [dns('*.a.example')], ['http-01'] as const, /only be proven by dns-01/],
    [
      'an address by dns-01',
      [{ type: 'ip', value: '192.0.2.1' }],
      ['dns-01'] as const,
      /cannot be proven by dns-01/,
    ],
    ['a name by http-01: none', [dns('a.example')], ['http-01'] as const, undefined],
    ['a wildcard by dns-01: none', [dns('*.a.example')], ['dns-01'] as const, undefined],
  ])('%s', (_, identifiers, wanted, reason) => {
    const obstacle = proofObstacle(identifiers, wanted);
    if (reason === undefined) expect(obstacle).toBeUndefined();
    else expect(obstacle).toMatch(reason);
  });
});
