// No test asserts how much time passes on a clock: a slow or busy machine takes more. Tests assert the processor's time
// by `excessMs` of @certloop/contracts/testing, the order of events, statements, plans, or the product's limits by a
// moved clock; speed belongs to the bench. Nor does a test set its own limit for hangs, or wait for a moment.
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { parseSync } from '@swc/core';
import { pausesIn } from './pauses.mjs';
import { collect, waits } from './time-flow.mjs';

const folders = ['apps', 'packages', 'web'];
const isTest = (file) =>
  /\.(ts|tsx)$/.test(file) &&
  (/\.test\.tsx?$/.test(file) ||
    /^\w+\/[^/]+\/(test|src\/testing)\//.test(file) ||
    file.startsWith('packages/browser/src/'));

/** What breaks the law in a tree, as `file:line: what`; `meant` are the pauses that are accepted, and must be there. */
export function timesInTests(root, meant = {}) {
  const files = new Map();
  for (const file of folders.flatMap((folder) => filesBelow(root, folder))) {
    const bytes = readFileSync(posix.join(root, file));
    const options = { syntax: 'typescript', tsx: file.endsWith('x'), target: 'es2023' };
    const { body } = parseSync(bytes.toString(), options);
    files.set(file, { bytes, pauses: pausesIn(body), ...collect(body) });
  }
  linkImports(files);
  spread(files);
  const unused = new Set(Object.keys(meant));
  const found = [...files].flatMap(([file, { bytes, assertions, refused, pauses }]) => {
    // the spans of the parser count bytes from 1
    const textBetween = (start, end) => bytes.subarray(start - 1, end - 1).toString();
    const others = pauses.filter(({ span }) => {
      const key = `${file}: ${textBetween(span.start, span.end)}`;
      unused.delete(key);
      return meant[key] === undefined;
    });
    const broken = [
      ...assertions.filter(({ isBroken }) => isBroken()),
      ...refused,
      ...others.map((node) => ({ node, what: waits })),
    ];
    return broken.map(
      ({ node, what }) => `${file}:${textBetween(1, node.span.start).split('\n').length}: ${what}`,
    );
  });
  return [...found, ...[...unused].map((key) => `${key} is listed in pauses.mjs, but no longer there`)];
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
