// Tests of pages run the commands of a page as they stand: what they changed would fail for every reader.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What a test of a page does beside running it; no sentence for a test that runs no page. */
export function faultsOfPageTest(code) {
  const runsPage = code.includes('readWalk(') || code.includes('```sh');
  if (!runsPage) return [];
  const faults = [];
  if (code.includes('.replace(')) faults.push('changes the text of the page');
  const settings = code.matchAll(/\b((?:CERT_MANAGER|CHECK_MONITOR|DUMMY_CA|HTTP01)_\w+)\b/g);
  const names = new Set([...settings].map(([, name]) => name));
  for (const name of names) if (!name.endsWith('_PORT')) faults.push(`sets ${name}`);
  if (/environment: \{/.test(code)) faults.push('sets an environment');
  return faults;
}

test('no test of a page changes its text or sets more than ports', () => {
  const folder = join(root, 'packages/e2e/test');
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const found = files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  const pages = found.filter(([, code]) => code.includes('readWalk(') || code.includes('```sh'));
  assert.ok(pages.length >= 2);
  for (const [file, code] of pages) assert.deepEqual(faultsOfPageTest(code), [], file);
});

test('the law sees each fault', () => {
  const page = 'readWalk(page);';
  const seen = [
    ["line.replace('a', 'b')", ['changes the text of the page']],
    ["lines.env['DUMMY_CA_RESOLVE_TO'] = '127.0.0.1'", ['sets DUMMY_CA_RESOLVE_TO']],
    ['environment: { ...more }', ['sets an environment']],
    ["lines.env['DUMMY_CA_PORT'] = '1'", []],
  ];
  for (const [code, faults] of seen) assert.deepEqual(faultsOfPageTest(`${page}\n${code}`), faults);
  assert.deepEqual(faultsOfPageTest("line.replace('a', 'b')"), []);
});
