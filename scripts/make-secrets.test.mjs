import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../docker/make-secrets.mjs', import.meta.url));

describe('docker/make-secrets.mjs', () => {
  let folder;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'certloop-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = () => spawnSync(process.execPath, [script, folder], { encoding: 'utf8' });
  const read = () =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

  it('makes each secret once, for its owner alone', () => {
    assert.equal(run().status, 0);
    const first = read();
    assert.ok(Object.values(first).every((content) => content.length >= 24));
    assert.ok(readdirSync(folder).every((name) => (statSync(join(folder, name)).mode & 0o077) === 0));
    assert.equal(run().status, 0);
    assert.deepEqual(read(), first);
  });

  it('replaces what an interrupted run left unfinished', () => {
    writeFileSync(join(folder, 'postgres-password.new'), '');
    assert.equal(run().status, 0);
    assert.ok(read()['postgres-password'].length >= 24);
    assert.ok(!readdirSync(folder).some((name) => name.endsWith('.new')));
  });

  it('refuses an empty secret and names its file', () => {
    run();
    writeFileSync(join(folder, 'postgres-password'), '');
    const { status, stderr } = run();
    assert.notEqual(status, 0);
    assert.match(stderr, /postgres-password is empty: remove it/);
  });
});
