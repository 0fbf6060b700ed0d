// Proves that no function is too long, and that a tree with a long one is refused.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { longFunctions, maxLines } from './function-lengths.mjs';

test(`no function has more than ${maxLines} lines`, () => {
  assert.deepEqual(longFunctions(fileURLToPath(new URL('../..', import.meta.url))), []);
});

/** A function of so many lines, after a line whose signs have several bytes. */
const ofLines = (lines, head = 'export function work() {', end = '}') =>
  [`// … € “ü”`, head, ...Array.from({ length: lines - 2 }, () => '  step();'), end, ''].join('\n');

const long = {
  'a function': ['apps/cert-manager/src/spaces/work.ts', ofLines(61), 'work'],
  'a constant': ['packages/db/src/work.ts', ofLines(61, 'export const work = () => {', '};'), 'work'],
  'a method': ['packages/db/src/work.ts', ofLines(61, 'export class Work { run() {', '}}'), 'run'],
  'a method of an object': ['scripts/work.mjs', ofLines(61, 'export const work = { run() {', '}};'), 'run'],
  'a component': [
    'web/kit/src/card.tsx',
    ofLines(61, 'export const Card = () => {', '};').replace('step();', 'return <p>“…”</p>;'),
    'Card',
  ],
  'a function that supports tests': [
    'apps/cert-manager/test/support/acme/work.ts',
    ofLines(61, 'export async function startWork() {'),
    'startWork',
  ],
  'a function beside suites': ['packages/e2e/test/console/work.ts', ofLines(61), 'work'],
  'a function of a file of sources that is about tests': [
    'packages/cli/src/ca/issue-for-tests.ts',
    ofLines(61),
    'work',
  ],
  'a callback': ['bench/work.mjs', ofLines(61, 'begin(() => {', '});'), 'without a name'],
  'a function within another': [
    'apps/cert-manager/src/work.ts',
    ofLines(61, 'const work = () => { function step() {', '}};'),
    'step',
  ],
};

for (const [what, [file, text, name]] of Object.entries(long)) {
  test(`refuses ${what} of 61 lines`, () => {
    assert.ok(longIn({ [file]: text }).includes(`${file}#${name}: 61`), longIn({ [file]: text }).join('\n'));
  });
}

test('accepts functions of 60 lines, and leaves out suites, stories and what is built', () => {
  const good = {
    'apps/cert-manager/src/spaces/work.ts': ofLines(60),
    'apps/cert-manager/src/spaces/work.test.ts': ofLines(200),
    'apps/cert-manager/test/spaces/work.test.ts': ofLines(200),
    'apps/cert-manager/test/spaces/refusals/refused-name-tests.ts': ofLines(200),
    'apps/cert-manager/test/console/work-stories.ts': ofLines(200),
    'apps/cert-manager/test/support/work.ts': ofLines(60),
    'packages/db/dist/src/work.mjs': ofLines(200),
    'scripts/work.mjs': `${ofLines(50)}${ofLines(50)}`.replace('function work', 'function first'),
  };
  assert.deepEqual(longIn(good), []);
});

function longIn(files) {
  const tree = mkdtempSync(join(tmpdir(), 'certloop-lengths-'));
  try {
    for (const folder of ['apps', 'packages', 'web', 'scripts', 'bench']) mkdirSync(join(tree, folder));
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), text);
    }
    return longFunctions(tree);
  } finally {
    rmSync(tree, { recursive: true });
  }
}
