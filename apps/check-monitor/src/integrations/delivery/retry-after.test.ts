import { expect, test } from 'vitest';
import { retryAfterMs } from './retry-after.js';

const now = Date.parse('2026-01-01T12:00:00Z');

test.each([
  [null, undefined],
  ['', undefined],
  ['soon', undefined],
  ['-5', 1000],
  ['0', 1000],
  ['0.3', 1000],
  ['1.5', 1500],
  [' 30 ', 30_000],
  ['3600', 3_600_000],
  ['999999', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
  ['Thu, 01 Jan 2026 11:00:00 GMT', 1000],
  ['Fri, 02 Jan 2026 12:00:00 GMT', 3_600_000],
])('reads Retry-After %p as %p ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms);
});
