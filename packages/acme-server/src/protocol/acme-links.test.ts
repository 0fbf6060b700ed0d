import { describe, expect, test } from 'vitest';
import { acmeLinks, link } from './acme-links.js';

const links = acmeLinks('http://127.0.0.1:3002');

describe('acmeLinks', () => {
  test('fills parameters in', () => {
    expect(links.of('directory')).toBe('http://127.0.0.1:3002/acme/directory');
    expect(links.of('challenge', { id: 'a', type: 'http-01' })).toBe(
      'http://127.0.0.1:3002/acme/challenges/a/http-01',
    );
  });

  test.each([
    ['an account', 'http://127.0.0.1:3002/acme/accounts/a-1', 'a-1'],
    ['another server', 'http://other.test/acme/accounts/a-1', undefined],
    ['a longer path', 'http://127.0.0.1:3002/acme/accounts/a-1/orders', undefined],
    ['no identifier', 'http://127.0.0.1:3002/acme/accounts/', undefined],
    ['a bare identifier', 'a-1', undefined],
  ])('knows the address of %s', (_, address, expected) => {
    expect(links.accountIdOf(address)).toBe(expected);
  });
});

test('link', () => {
  expect(link('http://a.test/', 'up')).toBe('<http://a.test/>;rel="up"');
});
