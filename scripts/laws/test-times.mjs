// No test asserts how much time passes on a clock: a slow or busy machine takes more. Tests assert the processor's time
// by `calibratedMs` of @certloop/contracts/testing, the order of events, statements, plans, or the product's limits by a
// moved clock; speed belongs to the bench. Nor does a test set its own limit for hangs, or wait for a moment.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from '@swc/core';
import { collect } from './time-flow.mjs';

const folders = ['apps', 'packages', 'web'];
const isTest = (file) =>
  /\.(ts|tsx)$/.test(file) &&
  (/\.test\.tsx?$/.test(file) ||
    /^\w+\/[^/]+\/(test|src\/testing)\//.test(file) ||
    file.startsWith('packages/browser/src/'));

/** What breaks the law in a tree, as `file:line: what`. */
export function timesInTests(root) {
  const files = new Map();
  for (const file of folders.flatMap((folder) => filesBelow(root, folder))) {
    const bytes = readFileSync(posix.join(root, file));
    const options = { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2023' };
    files.set(file, { bytes, ...collect(parseSync(bytes.toString(), options).body) });
  }
  linkImports(files);
  spread(files);
  return [...files].flatMap(([file, { bytes, assertions, refused }]) =>
    [...assertions.filter(({ isBroken }) => isBroken()), ...refused].map(({ node, what }) => {
      // the spans of the parser count bytes from 1
      const line = bytes
        .subarray(0, node.span.start - 1)
        .toString()
        .split('\n').length;
      return `${file}:${line}: ${what}`;
    }),
  );
}

function filesBelow(root, folder) {
  return readdirSync(posix.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|dist)$/.test(entry.name) ? [] : filesBelow(root, path);
    return isTest(path) ? [path] : [];
  });
}

/** Leads each imported name to the one that another test file exports. */
function linkImports(files) {
  for (const [file, { imports }] of files) {
    for (const { binding, source, name } of imports) {
      if (!source.startsWith('.')) continue;
      const path = posix.normalize(posix.join(posix.dirname(file), source)).replace(/\.js$/, '.ts');
      binding.origin = files.get(path)?.top.get(name);
    }
  }
}

/** Hands kinds on until nothing changes. */
function spread(files) {
  for (let isChanging = true; isChanging; ) {
    isChanging = false;
    for (const { flows } of files.values()) {
      for (const flow of flows) if (flow()) isChanging = true;
    }
  }
}
