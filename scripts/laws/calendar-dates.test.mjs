// Proves that only the calendar knows the dates of public rules, and that other code with such a date is found.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { calendarDatesInCode, calendarDays } from './calendar-dates.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('only the calendar knows when a rule for public certificates begins', () => {
  const days = calendarDays(root);
  assert.ok(days.includes('2027-03-15') && days.length > 10);
  assert.deepEqual(calendarDatesInCode(root, days), []);
});

test('a date in other code is found, however it is written; tests may have one', () => {
  const tree = mkdtempSync(join(tmpdir(), 'calendar-dates-'));
  try {
    for (const [file, text] of Object.entries({
      'packages/crypto/src/calendar.ts': "from: '2027-03-15'",
      'apps/one/src/deep/text.ts': "new Date('2027-03-15T00:00:00Z')",
      'web/one/src/numbers.tsx': 'Date.UTC(2027, 2, 15)',
      'apps/one/src/other.ts': "'2027-03-16'; Date.UTC(2027, 2, 150)",
      'apps/one/src/some.test.ts': "'2027-03-15'",
    })) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    assert.deepEqual(calendarDatesInCode(tree, calendarDays(tree)), [
      'apps/one/src/deep/text.ts: 2027-03-15',
      'web/one/src/numbers.tsx: 2027-03-15',
    ]);
  } finally {
    rmSync(tree, { recursive: true });
  }
});
