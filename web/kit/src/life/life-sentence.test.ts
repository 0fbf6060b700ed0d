import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeTimesIn } from '../times.js';
import { lifeSentence } from './life-sentence.js';

beforeAll(() => writeTimesIn('UTC'));
afterAll(() => writeTimesIn(undefined));

const now = Date.parse('2026-03-01T12:00:00.000Z');
const inDays = (days: number) => now + days * 86_400_000;
const window = { from: inDays(19), to: inDays(21) };

test.each([
  ['without a renewal', { expiresAt: inDays(30) }, 'The certificate expires in 30 days. Nothing renews it.'],
  [
    'of a renewal',
    { expiresAt: inDays(30), renewAt: inDays(20) },
    'The certificate expires in 30 days. It is renewed in 20 days.',
  ],
  [
    'of a window of the CA',
    { expiresAt: inDays(30), renewAt: inDays(20), window },
    'The certificate expires in 30 days. It is renewed in 20 days. The CA wants it to be renewed from 20 Mar 2026, 12:00:00 UTC to 22 Mar 2026, 12:00:00 UTC.',
  ],
  [
    'of an expired certificate',
    { expiresAt: inDays(-3) },
    'The certificate expired 3 days ago. Nothing renews it.',
  ],
] as const)('describes the life line %s', (_, life, sentence) => {
  expect(lifeSentence(life, now)).toBe(sentence);
});
