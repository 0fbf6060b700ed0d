// Proves that docs/readiness.md shows the calendar and the figures of the seeded inventory as they are.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { calendar } from '../packages/crypto/dist/src/index.js';
import { groups, inventory } from './readiness/inventory.mjs';
import { withTables } from './readiness.mjs';

const page = readFileSync(new URL('../docs/readiness.md', import.meta.url), 'utf8');

test('the tables of the page are those that the script makes', () => {
  assert.equal(withTables(page), page);
  for (const { code } of calendar) assert.ok(page.includes(`\`${code}\``), code);
});

test('a page with other figures is found', () => {
  const other = page.replace('| 4,500 |', '| 4,501 |');
  assert.notEqual(other, page);
  assert.equal(withTables(other), page);
  assert.throws(() => withTables(page.replace('<!-- figures -->', '')), /no place for the figures/);
});

test('the inventory has 10,000 names, each once', () => {
  const names = [...inventory()].map(({ fqdn }) => fqdn);
  assert.equal(new Set(names).size, 10_000);
  assert.equal(
    groups.reduce((sum, [count]) => sum + count, 0),
    10_000,
  );
});
