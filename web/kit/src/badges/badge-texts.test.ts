import { expect, test } from 'vitest';
import { badgeAt, badgeText, checkBadges } from './badge-texts.js';

const urls = checkBadges('https://example.org/mon/b/2/5f2c.svg');
const name = 'Backup "of" [everything] <b>';

test.each([
  ['markdown', false, '![Backup "of" \\[everything\\] <b>](https://example.org/mon/b/2/5f2c.svg)'],
  [
    'html',
    false,
    '<img src="https://example.org/mon/b/2/5f2c.svg" alt="Backup &quot;of&quot; [everything] &lt;b&gt;">',
  ],
  ['url', true, 'https://example.org/mon/b/3/5f2c.svg'],
  ['json', true, 'https://example.org/mon/b/3/5f2c.json'],
  ['shields', false, 'https://example.org/mon/b/2/5f2c.shields'],
] as const)('writes a badge as %s, with three states: %s', (form, isThree, text) => {
  expect(badgeText(urls, form, { isThree, name })).toBe(text);
});

test.each([
  ['https://example.org/badge/key/signature-2/tag%2520b.svg', '/badge/key/signature-2/tag%2520b.svg'],
  ['https://example.org/badge/key/signature.svg', '/badge/key/signature.svg'],
  ['https://example.org/b/b/3/5f2c.svg', '/b/3/5f2c.svg'],
])('finds %s at its own service', (address, path) => {
  expect(badgeAt('http://127.0.0.1:3001', address)).toBe(`http://127.0.0.1:3001${path}`);
});
