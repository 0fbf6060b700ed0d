import { describe, expect, test } from 'vitest';
import { redirectTarget } from './redirect-rule.js';

interface Situation {
  readonly method?: string;
  readonly from?: string;
  readonly headers?: Record<string, string>;
  readonly status?: number;
  readonly mayLeaveOrigin?: boolean;
}

function outcomeOf(location: string | null, situation: Situation = {}): string {
  const { method = 'POST', from = 'http://hook.example/in?x=1', headers = {} } = situation;
  const { status = 301, mayLeaveOrigin = true } = situation;
  const call = { method, url: new URL(from), headers: new Headers(headers), status, location };
  const target = redirectTarget(call, { mayLeaveOrigin });
  if (target === undefined) return 'none';
  return target instanceof URL ? target.href : target.refusal;
}

const key = { headers: { 'X-Key': 'k' } };
const open = { 'Content-Type': 'application/json', 'User-Agent': 'a', 'Idempotency-Key': '1', Accept: '*/*' };
const useOther = 'answers with a redirect to https://other.example: use that address';
const usePath = 'answers with a redirect to another path of http://hook.example: use that address';

describe('a redirect', () => {
  test.each([301, 302, 307, 308])('%i is followed with method and body', (status) => {
    expect(outcomeOf('/new', { status })).toBe('http://hook.example/new');
  });

  test('303 is followed only by a call without a message', () => {
    expect(outcomeOf('/new', { status: 303, method: 'GET' })).toBe('http://hook.example/new');
    expect(outcomeOf('/new', { status: 303, method: 'PUT' })).toBe(usePath);
  });

  test.each<[string, string | null, number]>([
    ['a success', '/new', 200],
    ['304', '/new', 304],
    ['300', '/new', 300],
    ['a redirect without Location', null, 302],
  ])('is not %s', (_situation, location, status) => {
    expect(outcomeOf(location, { status })).toBe('none');
  });

  test.each<[string, string, Situation, string]>([
    ['to https of the host', 'https://hook.example/new', key, 'https://hook.example/new'],
    ['to https of another port', 'https://hook.example:8443/', key, 'https://hook.example:8443/'],
    ['to another path', 'new', { ...key, mayLeaveOrigin: false }, 'http://hook.example/new'],
    [
      'elsewhere without credentials',
      'https://other.example/a',
      { headers: open },
      'https://other.example/a',
    ],
    ['elsewhere with a key', 'https://other.example/secret', key, useOther],
    ['elsewhere with a login', 'https://other.example/', { headers: { Authorization: 'Basic a' } }, useOther],
    ['elsewhere, if that is not allowed', 'https://other.example/', { mayLeaveOrigin: false }, useOther],
    [
      'from https to http with a key',
      'http://hook.example/a',
      { ...key, from: 'https://hook.example/' },
      'answers with a redirect to http://hook.example: use that address',
    ],
    [
      'to another port of http with a key',
      'http://hook.example:81/a',
      key,
      'answers with a redirect to http://hook.example:81: use that address',
    ],
    [
      'to a login of its own',
      'https://ada:pw@hook.example/',
      {},
      'answers with a redirect to https://hook.example: use that address',
    ],
    ['to nothing', 'http://[', {}, 'answers with a redirect to something that is no address'],
    [
      'to a file',
      'file:///etc/passwd',
      { mayLeaveOrigin: false },
      'answers with a redirect to file:: use that address',
    ],
  ])('%s', (_situation, location, situation, outcome) => {
    expect(outcomeOf(location, situation)).toBe(outcome);
  });
});
