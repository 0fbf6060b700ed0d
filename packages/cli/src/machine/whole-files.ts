import { type FileHandle, lstat, open, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve, sep } from 'node:path';
import { geteuid } from 'node:process';
import { UsageError } from '../faults/command-errors.js';
import { faultCode, throwWithFile } from '../faults/system-fault.js';

/** Who may read a file. */
export interface Access {
  readonly mode: number;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
}

/** Writes a new file to the disk. Owner, group and mode are set before it has any content. */
export async function writeNewFile(file: string, content: string, access: Access): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch(throwWithFile(file));
  try {
    await setAccess(handle, access);
    await handle.writeFile(content);
    await handle.sync();
  } catch (error) {
    throwWithFile(file)(error);
  } finally {
    await handle.close();
  }
}

async function setAccess(handle: FileHandle, { mode, uid, gid }: Access): Promise<void> {
  if (uid !== undefined || gid !== undefined) await handle.chown(uid ?? -1, gid ?? -1);
  await handle.chmod(mode);
}

/** Writes the entries of a folder to the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a file whole or not at all: a process that is killed leaves the former one. */
export async function replaceFile(file: string, content: string, access: Access): Promise<void> {
  const draft = draftOf(file);
  await rm(draft, { force: true });
  try {
    await writeNewFile(draft, content, access);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dirname(file));
}

/** Makes a symbolic link lead to another target at once. */
export async function replaceLink(link: string, target: string): Promise<void> {
  const draft = draftOf(link);
  await rm(draft, { force: true });
  await symlink(target, draft);
  await rename(draft, link);
  await syncFolder(dirname(link));
}

// one name, so that what a killed process leaves is replaced
const draftOf = (file: string): string => join(dirname(file), `.${basename(file)}.certloop-new`);

/**
 * The file that a path leads to, which may not exist. Throws UsageError for a symbolic link on the way that belongs neither
 * to root nor to this user, who would decide where a key is written.
 */
export async function trustedPath(path: string): Promise<string> {
  const absolute = resolve(path);
  const { root } = parse(absolute);
  let walked = root;
  for (const part of absolute.slice(root.length).split(sep)) {
    walked = join(walked, part);
    const found = await lstat(walked).catch((error: unknown) => {
      if (faultCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (found === undefined) break;
    if (found.isSymbolicLink() && !isTrusted(found.uid))
      throw new UsageError(
        `${walked} is a symbolic link to ${await readlink(walked)} that belongs to another user: name the file itself`,
      );
  }
  return realpath(absolute).catch(async (error: unknown) => {
    if (faultCode(error) !== 'ENOENT') throw error;
    return join(
      await realpath(dirname(absolute)).catch(throwWithFile(dirname(absolute))),
      basename(absolute),
    );
  });
}

/** Whether a user may decide where this process writes: root, or the user that it runs as. */
export function isTrusted(uid: number): boolean {
  return uid === 0 || uid === geteuid?.();
}
