// The workflows run code of others with a token of the repository: each action is the commit that was chosen, and the
// token may do no more than the workflow says.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';

const folder = new URL('../.github/workflows/', import.meta.url);
const pinned = /^[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*$/;

/** Actions of a workflow that are no commit with its version beside it, and permissions that are missing or whole. */
function faultsOf(text) {
  const faults = [];
  for (const [, action] of text.matchAll(/\buses:\s*(.+)/g))
    if (!action.startsWith('./') && !pinned.test(action.trim()))
      faults.push(`not a commit: ${action.trim()}`);
  const { permissions, jobs = {} } = parse(text);
  for (const [name, job] of Object.entries(jobs)) {
    const given = job.permissions ?? permissions;
    if (typeof given !== 'object' || given === null) faults.push(`${name} does not list its permissions`);
  }
  return faults;
}

for (const name of readdirSync(folder)) {
  test(`${name} runs chosen commits of actions with listed permissions`, () => {
    assert.deepEqual(faultsOf(readFileSync(new URL(name, folder), 'utf8')), []);
  });
}

const commit = 'a'.repeat(40);
for (const [name, text, fault] of [
  ['a tag', `permissions: {}\njobs: { one: { steps: [] } }\n# - uses: a/b@v4`, 'not a commit: a/b@v4'],
  ['a commit without its version', `permissions: {}\n# - uses: a/b@${commit}`, `not a commit: a/b@${commit}`],
  ['no permissions', 'jobs: { one: { steps: [] } }', 'one does not list its permissions'],
  ['all permissions', 'permissions: write-all\njobs: { one: {} }', 'one does not list its permissions'],
]) {
  test(`rejects ${name}`, () => assert.deepEqual(faultsOf(text), [fault]));
}
