import { expect, test } from 'vitest';
import { nextPage } from './next-page.js';

test.each([
  ['/spaces/7?q=a#b', '/spaces/7?q=a#b'],
  ['/', '/'],
  ['//evil.test/x', '/'],
  ['/\\evil.test', '/'],
  ['/\t/evil.test', '/'],
  ['https://evil.test', '/'],
  ['javascript:alert(1)', '/'],
  ['spaces', '/'],
  ['/login?next=/x', '/'],
  ['/welcome', '/'],
  [undefined, '/'],
  [7, '/'],
])('leads from %p to %s', (next, path) => {
  expect(nextPage(next)).toBe(path);
});
