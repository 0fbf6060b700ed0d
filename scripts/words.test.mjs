// Refuses phrases that make the code hard to read, and proves that each of them would be seen. Words are cspell's.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { faultsOfWords } from './words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const judged =
  /^(?:apps|packages|web|scripts|bench)\/.*\.(?:tsx?|mjs|cjs)$|^(?:docs\/.*|README|CONTRIBUTING|CHANGELOG)\.md$/;

test('no tracked file has a refused phrase', () => {
  const options = { cwd: root, encoding: 'utf8' };
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], options)
    .split('\n')
    .filter(
      (file) => judged.test(file) && !file.startsWith('scripts/words.') && existsSync(join(root, file)),
    );
  assert.deepEqual(
    files.flatMap((file) => faultsOfWords(file, readFileSync(join(root, file), 'utf8'))),
    [],
  );
});

for (const line of [
  '// SQLite does so by itself',
  '// a look at the check is due',
  'const mostEntries = 100;',
  'await holdRows(tx, fqdns, { id });',
  'const row = await holdFqdn(tx, spaceId, id);',
  'const health = readSeldom(read, 1000);',
  'const wish = request.key;',
  'function orderWish() {}',
  'await tellMonitor(deps);',
  '// a sound request',
  "test('shows him his groups', () => {});",
  'readonly messengers: Messengers;',
  'const askedBefore = createStore();',
  'const status = newsOf(flip);',
  'throw new NotTogether();',
  'const signPlaces = new Map();',
  'const limit = createTurns({ atOnce: 1 });',
  'return inTurns(integration);',
  'const text = stripBlanks(given);',
  'const lanes = await listLanes(tx);',
  "import { x } from './sign-company.store.js';",
  'const longestBody = 1000;',
  'const least = 60;',
  'function listLatest(tx: Tx, most: number) {}',
  'if (!isSound(report)) return;',
]) {
  test(`a refused phrase is seen: ${line}`, () => {
    assert.ok(faultsOfWords('a.ts', `\n${line}\n`).length > 0);
  });
}

for (const text of [
  '/** What a user may do. */',
  '/**\n * What a user may do.\n */',
  '  /** Those of the keys that are known. */',
]) {
  test(`a docstring that begins with a question word is seen: ${JSON.stringify(text)}`, () => {
    const [fault, ...others] = faultsOfWords('apps/cert-manager/src/a.ts', `\n${text}\nconst a = 1;\n`);
    assert.match(fault, /^apps\/cert-manager\/src\/a\.ts:[23]: "(What|Those of)": say Returns/);
    assert.deepEqual(others, []);
  });
}

test('docstrings that begin otherwise pass, and those of tests may begin as they like', () => {
  assert.deepEqual(faultsOfWords('web/kit/src/a.ts', '/** Returns what a user may do. */'), []);
  assert.deepEqual(faultsOfWords('web/kit/src/a.ts', '/** Whatever else there is. */'), []);
  assert.deepEqual(faultsOfWords('packages/e2e/test/a.ts', '/** What a user may do. */'), []);
});

test('a stored name is no refused phrase', () => {
  assert.deepEqual(faultsOfWords('a.ts', '      wish: column.text(),'), []);
});

test('a refused word is seen by cspell, in comments, names and titles, and a misspelled one in the docs', () => {
  const args = ['lint', '--config', 'cspell.docs.json', '--no-progress', '--no-summary', 'stdin://docs/a.md'];
  const input = [
    '// what was told',
    'const mailsKept = 1;',
    'const maxParcels = 25;',
    "test('tells of a check', () => {});",
    'a sentense',
  ].join('\n');
  const bin = fileURLToPath(new URL('../node_modules/cspell/bin.mjs', import.meta.url));
  const { stdout, status } = spawnSync(process.execPath, [bin, ...args], {
    cwd: root,
    encoding: 'utf8',
    input,
  });
  assert.equal(status, 1, stdout);
  for (const word of ['told', 'Kept', 'Parcels', 'tells'])
    assert.match(stdout, new RegExp(`Forbidden word \\(${word}\\)`));
  assert.match(stdout, /Unknown word \(sentense\)/);
});
