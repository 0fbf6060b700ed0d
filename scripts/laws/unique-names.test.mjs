// Proves that no two files of one app, package or console export a function of one name, and that such a tree is refused.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { repeatedNames } from './unique-names.mjs';

test('no two files of an app, a package or a console export a function of the same name', () => {
  assert.deepEqual(repeatedNames(fileURLToPath(new URL('../..', import.meta.url))), []);
});

const declared = 'export function find() {}';
const forms = {
  'a function': declared,
  'an asynchronous function': 'export async function find(tx: Tx): Promise<Row> {}',
  'a generator': 'export async function* find() {}',
  'a generic function': 'export function find<Row>(row: Row) {}',
  'an arrow function': 'export const find = (row: Row) => row.id;',
  'an arrow function of a bare parameter': 'export const find = async row => row.id;',
  'a generic arrow function': 'export const find = <Row extends object>(row: Row) => row;',
  'an arrow function with a type': 'export const find: (row: Row) => string = (row) => row.id;',
};

for (const [what, text] of Object.entries(forms)) {
  test(`refuses ${what} of the name of another`, () => {
    const files = { 'apps/dummy-ca/src/acme/a.ts': declared, 'apps/dummy-ca/src/b.service.ts': text };
    assert.deepEqual(repeatedIn(files), ['apps/dummy-ca: find: acme/a.ts, b.service.ts']);
  });
}

for (const folder of ['packages/db', 'web/kit']) {
  test(`refuses two functions of one name in ${folder}`, () => {
    const files = { [`${folder}/src/a.ts`]: declared, [`${folder}/src/b.tsx`]: declared };
    assert.deepEqual(repeatedIn(files), [`${folder}: find: a.ts, b.tsx`]);
  });
}

const accepted = {
  'of two apps': { 'apps/a/src/a.ts': declared, 'apps/b/src/a.ts': declared },
  'one of which is not exported': { 'apps/a/src/a.ts': declared, 'apps/a/src/b.ts': 'function find() {}' },
  'that are overloads': { 'apps/a/src/a.ts': `${declared}\n${declared}` },
  'of migrations': {
    'apps/a/src/migrations/0001-a.ts': declared,
    'apps/a/src/migrations/0002-b.ts': declared,
  },
  'one of which is in a test': { 'apps/a/src/a.ts': declared, 'apps/a/src/a.test.ts': declared },
  'one of which only has a name that begins with it': {
    'apps/a/src/a.ts': declared,
    'apps/a/src/b.ts': 'export function findRow() {}',
  },
};

for (const [what, files] of Object.entries(accepted)) {
  test(`accepts functions ${what}`, () => {
    assert.deepEqual(repeatedIn(files), []);
  });
}

function repeatedIn(files) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-names-'));
  try {
    for (const group of ['apps', 'packages', 'web']) mkdirSync(join(tree, group));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), `${text}\n`);
    }
    return repeatedNames(tree);
  } finally {
    rmSync(tree, { recursive: true });
  }
}
