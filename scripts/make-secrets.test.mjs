import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../docker/make-secrets.mjs', import.meta.url));

describe('docker/make-secrets.mjs', () => {
  let root;
  let folder;
  let shares;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'certloop-secrets-'));
    folder = join(root, 'secrets');
    shares = join(root, 'shares');
    for (const made of [
      folder,
      ...['postgres', 'check-monitor', 'cert-manager'].map((name) => join(shares, name)),
    ])
      mkdirSync(made, { recursive: true });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const run = () => spawnSync(process.execPath, [script, folder, shares], { encoding: 'utf8' });
  const readAll = (from) =>
    Object.fromEntries(readdirSync(from).map((name) => [name, readFileSync(join(from, name), 'utf8')]));
  const read = () => readAll(folder);

  it('creates each secret once, for its owner only', () => {
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

  it('never makes a secret again that was used', () => {
    run();
    const first = read();
    for (const name of Object.keys(first)) {
      rmSync(join(folder, name));
      const { status, stderr } = run();
      assert.equal(status, 0);
      assert.match(stderr, new RegExp(`${name} was lost: it is restored`));
    }
    assert.deepEqual(read(), first);
    writeFileSync(join(folder, 'encryption-keys'), '');
    assert.equal(run().status, 0);
    assert.deepEqual(read(), { ...first, 'encryption-keys.damaged': '' });
  });

  it('ends if a secret that was used and its copy are lost, and names the file', () => {
    run();
    writeFileSync(join(folder, 'postgres-password'), '');
    writeFileSync(join(shares, 'postgres', 'postgres-password'), '');
    const before = read();
    const { status, stderr } = run();
    assert.notEqual(status, 0);
    assert.match(stderr, /postgres-password was used and is lost, .*docs\/backup-and-restore\.md/);
    assert.deepEqual(read(), before);
  });

  it('ends if a secret cannot be read', () => {
    run();
    rmSync(join(folder, 'encryption-keys'));
    mkdirSync(join(folder, 'encryption-keys'));
    const { status, stderr } = run();
    assert.notEqual(status, 0);
    assert.match(stderr, /encryption-keys cannot be read \(EISDIR\)/);
  });

  it('makes what a new version adds to the secrets of an earlier one', () => {
    run();
    const { 'cert-manager-database-password': _added, ...first } = read();
    rmSync(join(folder, 'cert-manager-database-password'));
    rmSync(join(shares, 'postgres', 'cert-manager-database-password'));
    assert.equal(run().status, 0);
    const { 'cert-manager-database-password': made, ...others } = read();
    assert.deepEqual(others, first);
    assert.ok(made.length >= 24);
  });

  it('gives each service a copy of only the secrets that it needs', () => {
    run();
    const all = read();
    const copies = (service) => readAll(join(shares, service));
    const some = (...names) => Object.fromEntries(names.map((name) => [name, all[name]]));
    assert.deepEqual(
      copies('postgres'),
      some('postgres-password', 'cert-manager-database-password', 'check-monitor-database-password'),
    );
    assert.deepEqual(copies('check-monitor'), some('check-monitor-database-url', 'check-monitor-secret'));
    assert.deepEqual(
      copies('cert-manager'),
      some('cert-manager-database-url', 'encryption-keys', 'admin-password'),
    );
  });

  it('gives each service a role of its own, also where an earlier version made the superuser its role', () => {
    writeFileSync(join(folder, 'postgres-password'), 'word');
    writeFileSync(
      join(folder, 'cert-manager-database-url'),
      'postgres://certloop:word@postgres:5432/cert_manager',
    );
    writeFileSync(join(folder, 'check-monitor-database-url'), 'postgres://me:word@db.example.org/monitor');
    assert.equal(run().status, 0);
    const all = read();
    const url = `postgres://cert_manager:${all['cert-manager-database-password']}@postgres:5432/cert_manager`;
    assert.equal(all['cert-manager-database-url'], url);
    assert.equal(readAll(join(shares, 'cert-manager'))['cert-manager-database-url'], url);
    assert.equal(all['check-monitor-database-url'], 'postgres://me:word@db.example.org/monitor');
  });

  it('copies a changed secret again', () => {
    run();
    writeFileSync(join(folder, 'encryption-keys'), 'k2:another');
    run();
    assert.equal(readAll(join(shares, 'cert-manager'))['encryption-keys'], 'k2:another');
  });
});
