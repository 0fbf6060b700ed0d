// Makes the secrets of the stack that are not there yet, one file each, in the folder given.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];

/**
 * Content of a secret file, made once: whole on disk before it has its name, so that a full disk leaves no empty one.
 * Throws for an empty file, which an earlier full disk may have left.
 */
function secret(name, make) {
  const file = join(folder, name);
  if (!existsSync(file)) {
    const unfinished = `${file}.new`;
    writeFileSync(unfinished, make(), { mode: 0o600, flush: true });
    renameSync(unfinished, file);
  }
  const content = readFileSync(file, 'utf8');
  if (content.trim() === '')
    throw new Error(`${file} is empty: remove it, and start again to have it made anew`);
  return content;
}

const word = (bytes) => randomBytes(bytes).toString('base64url');

const password = secret('postgres-password', () => word(24));
for (const [service, database] of [
  ['cert-manager', 'cert_manager'],
  ['check-monitor', 'check_monitor'],
]) {
  secret(`${service}-database-url`, () => `postgres://certloop:${password}@postgres:5432/${database}`);
}
secret('check-monitor-secret', () => word(32));
secret('encryption-keys', () => `k1:${randomBytes(32).toString('base64')}`);
secret('admin-password', () => word(18));
