import { expect, test } from 'vitest';
import { isFromForeignPage, isFromOwnPage } from './same-origin.js';

const own = ['http://localhost:3000'];

test.each<[string, string | undefined, string | undefined, { own: boolean; foreign: boolean }]>([
  ['a page of this service', 'same-origin', 'http://localhost:3000', { own: true, foreign: false }],
  ['the same, in an older browser', undefined, 'http://localhost:3000', { own: true, foreign: false }],
  ['another port', 'same-site', 'http://localhost:3001', { own: false, foreign: true }],
  ['another port, in an older browser', undefined, 'http://localhost:3001', { own: false, foreign: true }],
  ['another site', 'cross-site', 'http://evil.example', { own: false, foreign: true }],
  [
    'another site that claims our origin',
    'cross-site',
    'http://localhost:3000',
    { own: false, foreign: true },
  ],
  ['a frame without origin', undefined, 'null', { own: false, foreign: true }],
  ['the address bar', 'none', undefined, { own: false, foreign: false }],
  ['no browser', undefined, undefined, { own: false, foreign: false }],
])('%s', (_, fetchSite, origin, expected) => {
  expect({
    own: isFromOwnPage({ fetchSite, origin }, own),
    foreign: isFromForeignPage({ fetchSite, origin }, own),
  }).toEqual(expected);
});
