// Proves that no folder of sources or tests has too many files, and that a tree with such a folder is refused.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fullFolders, maxFiles } from './folder-sizes.mjs';

test(`no folder of sources or tests has more than ${maxFiles} files`, () => {
  assert.deepEqual(fullFolders(fileURLToPath(new URL('../..', import.meta.url))), []);
});

const full = {
  'the sources of a service': 'apps/cert-manager/src',
  'a slice': 'apps/cert-manager/src/fqdns',
  'a folder within a slice': 'apps/check-monitor/src/integrations/kinds/webhook',
  'a folder of a package': 'packages/contracts/src/cert-manager',
  'a folder of the kit': 'web/kit/src/lists',
  'a folder of tests': 'apps/cert-manager/test/renewals',
  'a folder that supports tests': 'packages/e2e/test/support',
};

for (const [what, folder] of Object.entries(full)) {
  test(`refuses ${what} with 21 files`, () => {
    assert.deepEqual(fullIn({ [folder]: 21 }), [`${folder}: 21`]);
  });
}

test('accepts 20 files beside folders, and leaves out migrations, data of tests and what is built', () => {
  const good = {
    'apps/cert-manager/src/fqdns': 20,
    'apps/cert-manager/src/fqdns/policy': 20,
    'apps/cert-manager/src/migrations': 40,
    'apps/cert-manager/test/data/csrs': 40,
    'packages/crypto/testdata': 40,
    'packages/db/dist/src': 40,
    'web/kit/node_modules/react/src': 40,
  };
  assert.deepEqual(fullIn(good), []);
});

function fullIn(filesByFolder) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-folders-'));
  try {
    for (const folder of ['apps', 'packages', 'web']) mkdirSync(join(tree, folder));
    for (const [folder, files] of Object.entries(filesByFolder)) {
      mkdirSync(join(tree, folder), { recursive: true });
      for (let n = 1; n <= files; n += 1) writeFileSync(join(tree, folder, `file-${n}.ts`), '');
    }
    return fullFolders(tree);
  } finally {
    rmSync(tree, { recursive: true });
  }
}
