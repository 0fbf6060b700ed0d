// Makes the secrets of the stack that are not there yet, one file each, in the first folder given, and gives each
// service a copy of those that it needs, in its folder below the second one.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shareSecret, writeSecret } from './share-secret.mjs';

const [, , folder, shares] = process.argv;

/** Content of a secret file, made once. Throws for an empty file, which an earlier full disk may have left. */
function secret(name, make) {
  const file = join(folder, name);
  if (!existsSync(file)) writeSecret(file, make());
  const content = readFileSync(file, 'utf8');
  if (content.trim() === '')
    throw new Error(`${file} is empty: remove it, and start again to have it made anew`);
  return content;
}

const word = (bytes) => randomBytes(bytes).toString('base64url');

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
secret('check-monitor-secret', () => word(32));
secret('encryption-keys', () => `k1:${randomBytes(32).toString('base64')}`);
secret('admin-password', () => word(18));

const needs = {
  postgres: ['postgres-password', 'cert-manager-database-password', 'check-monitor-database-password'],
  'check-monitor': ['check-monitor-database-url', 'check-monitor-secret'],
  'cert-manager': ['cert-manager-database-url', 'encryption-keys', 'admin-password'],
};
for (const [service, names] of Object.entries(needs))
  for (const name of names) shareSecret(join(folder, name), join(shares, service, name));
