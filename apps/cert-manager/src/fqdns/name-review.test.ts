import { expect, test } from 'vitest';
import { hostnamesIn, reviewNames } from './name-review.js';

const facts = {
  stored: new Map([['www.example.com', 'id-of-www']]),
  refusalOf: (hostname: string) => (hostname.endsWith('.test') ? 'no test names here' : undefined),
};

test.each([
  ['a new name', 'api.example.com', { fqdn: 'api.example.com', verdict: 'new' }],
  ['capitals and a final dot', 'API.example.com.', { fqdn: 'api.example.com', verdict: 'new' }],
  ['a wildcard', '*.example.com', { fqdn: '*.example.com', verdict: 'new' }],
  ['an international name', 'bücher.example', { fqdn: 'xn--bcher-kva.example', verdict: 'new' }],
  [
    'a stored name in capitals',
    'WWW.example.com',
    {
      fqdn: 'www.example.com',
      verdict: 'exists',
      fqdnId: 'id-of-www',
      message: 'already exists in this space',
    },
  ],
  ['a refused name', 'a.test', { fqdn: 'a.test', verdict: 'refused', message: 'no test names here' }],
  [
    'a second wildcard',
    '*.*.example.com',
    { verdict: 'refused', message: 'may have a wildcard only as its whole leftmost label' },
  ],
  [
    'a blank around it',
    ' a.example',
    { verdict: 'refused', message: 'must consist of letters, digits, hyphens and dots' },
  ],
  ['an address', '192.0.2.1', { verdict: 'refused', message: 'must be a host name, not an address' }],
  [
    'a URL',
    'https://www.example.com/',
    { verdict: 'refused', message: 'must be a host name, without an address, scheme or port' },
  ],
  ['an underscore', 'a_b.example', { verdict: 'refused', message: 'must not contain underscores' }],
  [
    '254 characters',
    `${'a.'.repeat(126)}aa`,
    { verdict: 'refused', message: 'must be at most 253 characters' },
  ],
  ['nothing', '', { verdict: 'refused', message: 'must not have empty labels' }],
])('judges %s', (_, name, verdict) => {
  expect(reviewNames([name], facts)).toEqual([{ name, ...verdict }]);
});

test('finds duplicates in other spellings, also among stored and rejected names', () => {
  const names = [
    'bücher.example',
    'x',
    'XN--BCHER-KVA.example',
    'www.example.com',
    'WWW.example.com.',
    'a.test',
  ];
  expect(reviewNames([...names, 'A.test'], facts).map(({ verdict }) => verdict)).toEqual([
    ...['new', 'new', 'twin', 'exists', 'twin', 'refused', 'twin'],
  ]);
  expect(reviewNames(names, facts)[2]?.message).toBe('is the same name as number 1 of the list');
});

test('looks up each normal form once', () => {
  expect(hostnamesIn(['a.example', 'A.example', '-', 'b.example'])).toEqual(['a.example', 'b.example']);
});
