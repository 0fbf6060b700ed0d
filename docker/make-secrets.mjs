// Makes the secrets of the services that are missing, one file each, in the first folder given:
//   node docker/make-secrets.mjs DIR
// With a second folder, makes those of PostgreSQL and the first administrator, too, and gives each service a copy of
// those that it needs, in its folder below the second one. A secret that has a copy was used: it comes back from there.
// So a new version makes only the secrets that it adds.
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readSecret, shareSecret, writeSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;
mkdirSync(folder, { recursive: true, mode: 0o700 });

const needs = {
  postgres: ['postgres-password', 'cert-manager-database-password', 'check-monitor-database-password'],
  'check-monitor': ['check-monitor-database-url', 'check-monitor-secret'],
  'cert-manager': ['cert-manager-database-url', 'encryption-keys', 'admin-password'],
};

/** Content of a secret file, made once. An empty one, which an earlier full disk may have left, stays as `.damaged`. */
function secret(name, make) {
  const file = join(folder, name);
  const found = readSecret(file);
  if (found !== undefined && found.trim() !== '') return found;
  const copies = Object.entries(shares === undefined ? {} : needs)
    .filter(([, names]) => names.includes(name))
    .map(([service]) => readSecret(join(shares, service, name)));
  const copy = copies.find((content) => content !== undefined);
  if (copy !== undefined && copy.trim() === '')
    throw new Error(
      `${file} was used and is lost, and so is its copy: restore it from a backup (docs/backup-and-restore.md)`,
    );
  if (found !== undefined) renameSync(file, `${file}.damaged`);
  if (copy !== undefined) console.error(`${file} was lost: it is restored from the copy of its service`);
  const content = copy ?? make();
  writeSecret(file, content);
  return content;
}

const word = (bytes) => randomBytes(bytes).toString('base64url');

secret('check-monitor-secret', () => word(32));
secret('encryption-keys', () => `k1:${randomBytes(32).toString('base64')}`);
if (shares !== undefined) {
  const superuser = secret('postgres-password', () => word(24));
  for (const [service, database] of [
    ['cert-manager', 'cert_manager'],
    ['check-monitor', 'check_monitor'],
  ]) {
    const password = secret(`${service}-database-password`, () => word(24));
    const urlOf = (role, word) => `postgres://${role}:${word}@postgres:5432/${database}`;
    const url = urlOf(database, password);
    // earlier versions connected as superuser
    if (secret(`${service}-database-url`, () => url) === urlOf('certloop', superuser))
      writeSecret(join(folder, `${service}-database-url`), url);
  }
  secret('admin-password', () => word(18));

  for (const [service, names] of Object.entries(needs))
    for (const name of names) shareSecret(join(folder, name), join(shares, service, name));
}
