import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Passwords } from '@certloop/server';
import { StartFailed } from '@certloop/server';
import type { Secrets } from '../projects/api-key.js';
import { setUpProject } from '../projects/create-project.service.js';
import type { AccountDeps, NewUser } from '../projects/create-user.service.js';
import { findProjectByKey } from '../projects/identify-project.service.js';
import { setPassword } from './passwords.service.js';

type Deps = AccountDeps & Secrets & { readonly passwords: Passwords };

/** Names of the projects that cert-manager uses: of its checks, and of its canary. */
export interface ServiceProjects {
  readonly project: string;
  readonly canaryProject?: string | undefined;
}

/** Creates what a service needs to use the monitor; new keys each time. */
export async function setUpService(deps: AccountDeps, owner: NewUser, named: ServiceProjects) {
  const keys = await setUpProject(deps, owner, named.project);
  if (named.canaryProject === undefined) return keys;
  return { ...keys, canaryKey: (await setUpProject(deps, owner, named.canaryProject)).readWriteKey };
}

// the read-write key is written last, so that it proves that the others are there
const keyFiles = { canaryKey: 'canary-key', readOnlyKey: 'read-only-key', pingKey: 'ping-key' } as const;
const lastFile = 'read-write-key';
const passwordFile = 'password';
const allFiles = [...Object.values(keyFiles), passwordFile, lastFile];

/**
 * Sets up a service as `setUpService` does, and stores the keys and a password of the owner as files of a folder, only
 * for their owner. Files whose key this database accepts do not change, so that it may be run again. Files of another
 * database stay as `.former`, and come back with it.
 */
export async function storeKeyFiles(
  deps: Deps,
  owner: NewUser,
  named: ServiceProjects,
  folder: string,
): Promise<{ readonly folder: string; readonly keys: 'created' | 'restored' | 'unchanged' }> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fileOf = (name: string) => join(folder, `monitor-${name}`);
  const write = (name: string, content: string) => writeWhole(fileOf(name), content);
  const wasRestored = await setAsideForeign(deps, fileOf);
  const isComplete = (await readIfThere(fileOf(lastFile))) !== undefined;
  if (!isComplete) {
    const keys: Partial<Record<keyof typeof keyFiles | 'readWriteKey', string>> = await setUpService(
      deps,
      owner,
      named,
    );
    for (const [key, name] of Object.entries(keyFiles) as [keyof typeof keyFiles, string][])
      if (keys[key] !== undefined) await write(name, keys[key]);
    await write(lastFile, keys.readWriteKey ?? '');
  }
  if ((await readIfThere(fileOf(passwordFile))) === undefined) {
    const password = randomBytes(18).toString('base64url');
    await setPassword(deps, owner.email, password);
    await write(passwordFile, password);
  }
  // earlier versions made none
  if (named.canaryProject !== undefined && (await readIfThere(fileOf(keyFiles.canaryKey))) === undefined)
    await write(
      keyFiles.canaryKey,
      (await setUpService(deps, owner, { project: named.canaryProject })).readWriteKey,
    );
  return { folder, keys: isComplete ? (wasRestored ? 'restored' : 'unchanged') : 'created' };
}

/** Renames files whose key this database does not accept; whether those of an earlier time are back. */
async function setAsideForeign(deps: Deps, fileOf: (name: string) => string): Promise<boolean> {
  const accepts = async (file: string) => {
    const key = (await readIfThere(file))?.trim();
    return key === undefined ? undefined : deps.db.read((tx) => findProjectByKey(tx, deps, key));
  };
  const last = fileOf(lastFile);
  if ((await readIfThere(last)) === undefined || (await accepts(last)) !== undefined) return false;
  const isBack = (await accepts(`${last}.former`)) !== undefined;
  for (const file of allFiles.map(fileOf)) {
    const former = isBack ? await readIfThere(`${file}.former`) : undefined;
    if ((await readIfThere(file)) !== undefined) await rename(file, `${file}.former`);
    if (former !== undefined) await writeWhole(file, former);
  }
  return isBack;
}

/** The content of a file, undefined if there is none. Throws StartFailed if it cannot be read. */
async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StartFailed(`${file} cannot be read (${code}): see docs/backup-and-restore.md`, { cause });
  }
}

/** Writes a file that its owner alone reads; on disk before it has its name, so that a full disk leaves no empty one. */
async function writeWhole(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
}
