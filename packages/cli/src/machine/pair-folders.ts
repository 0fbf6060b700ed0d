import { chown, mkdir, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Certificate,
  exportSpki,
  importPrivateKey,
  parseCertificate,
  spkiSha256,
  splitChain,
} from '@certloop/crypto';
import { z } from 'zod';
import { UsageError } from '../faults/command-errors.js';
import { faultCode, throwWithFile } from '../faults/system-fault.js';
import { accessOf, type CopyPart, copyParts, type Machine } from './machine.js';
import type { InstalledPair } from './next-step.js';
import { isTrusted, replaceLink, syncFolder, writeNewFile } from './whole-files.js';

/** A pair as its folder has it. */
export interface StoredPair extends InstalledPair {
  readonly leaf: Certificate;
  /** ETag of the certificate at the manager. */
  readonly etag: string;
  readonly files: Readonly<Record<CopyPart, string>>;
}

const folderName = /^\d{8}T\d{6}Z-[0-9a-f]+$/;
const draftName = /^\.new-/;
const servedMark = 'served';
const factsFile = 'certloop.json';
const currentLink = 'current';

/** Makes the folder. Throws UsageError if it belongs to another user, who could replace its files. */
export async function openFolder({ dir }: Machine): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  const { uid } = await stat(dir);
  if (!isTrusted(uid)) throw new UsageError(`--dir: ${dir} belongs to another user; name a folder of yours`);
}

/** Removes what a killed process has left half written. */
export async function removeDrafts({ dir }: Machine): Promise<void> {
  for (const name of await readdir(dir))
    if (draftName.test(name)) await rm(join(dir, name), { recursive: true, force: true });
}

/** Pairs that are whole and fit, oldest first, and the one that `current` names. */
export async function readPairs({ dir }: Machine): Promise<{
  readonly pairs: readonly StoredPair[];
  readonly current: StoredPair | undefined;
}> {
  const names = (await readdir(dir)).filter((name) => folderName.test(name)).sort();
  const pairs: StoredPair[] = [];
  for (const name of names) {
    const pair = await readPair(join(dir, name), name);
    if (pair !== undefined) pairs.push(pair);
  }
  const target = await readlink(join(dir, currentLink)).catch(() => undefined);
  return { pairs, current: pairs.find(({ name }) => name === target) };
}

const factsSchema = z.object({ etag: z.string() });

/** Undefined for a folder that is damaged: another one is installed in its place. */
async function readPair(folder: string, name: string): Promise<StoredPair | undefined> {
  try {
    const texts = await Promise.all(copyParts.map((part) => readFile(join(folder, `${part}.pem`), 'utf8')));
    const files = Object.fromEntries(copyParts.map((part, index) => [part, texts[index] ?? ''])) as Record<
      CopyPart,
      string
    >;
    const [der = Buffer.alloc(0)] = splitChain(files.fullchain);
    const leaf = parseCertificate(der);
    const digest = digestOfKey(files.key);
    if (digest !== spkiSha256(leaf.spkiDer)) return undefined;
    const { etag } = factsSchema.parse(JSON.parse(await readFile(join(folder, factsFile), 'utf8')));
    const isServed = (await readdir(folder)).includes(servedMark);
    const { fullchain } = files;
    return { name, leaf, notAfter: leaf.notAfter, fullchain, spkiSha256: digest, isServed, etag, files };
  } catch (error) {
    if (isTemporaryFault(error)) throw error;
    return undefined;
  }
}

/** Whether the system may give the file later: a pair is not damaged because this process has too many files open. */
function isTemporaryFault(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'EIO', 'EACCES', 'EPERM', 'ENOMEM'].includes(faultCode(error) ?? '');
}

/** Digest of the public key of a private key as PEM. */
export function digestOfKey(pem: string): string {
  return spkiSha256(exportSpki(importPrivateKey(pem)));
}

/** A pair to store. */
export interface NewPair {
  readonly key: string;
  readonly cert: string;
  readonly chain: string;
  readonly fullchain: string;
  readonly etag: string;
  readonly serialNumber: string;
}

/** Writes a pair into a folder of its own, which has its name once all of it is on the disk. Returns the name. */
export async function storePair(machine: Machine, pair: NewPair, now: Date): Promise<string> {
  const { dir, io, certificateAccess } = machine;
  const name = await freeName(dir, pair.serialNumber, now);
  const draft = join(dir, `.new-${name}`);
  io.atStep?.('write the pair');
  await mkdir(draft, { mode: 0o755 }).catch(throwWithFile(draft));
  try {
    const { uid, gid } = certificateAccess;
    if (uid !== undefined || gid !== undefined) await chown(draft, uid ?? -1, gid ?? -1);
    for (const part of copyParts) {
      io.atStep?.(`write ${part}.pem`);
      await writeNewFile(join(draft, `${part}.pem`), pair[part], accessOf(machine, part));
    }
    io.atStep?.(`write ${factsFile}`);
    const facts = `${JSON.stringify({ etag: pair.etag })}\n`;
    await writeNewFile(join(draft, factsFile), facts, certificateAccess);
    await syncFolder(draft);
    io.atStep?.('name the pair');
    await rename(draft, join(dir, name)).catch(throwWithFile(draft));
  } catch (error) {
    await rm(draft, { recursive: true, force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(dir);
  return name;
}

/** Time and serial number; a second later if the same one is there already. */
async function freeName(dir: string, serialNumber: string, now: Date): Promise<string> {
  const names = new Set(await readdir(dir));
  for (let ms = now.getTime(); ; ms += 1000) {
    const time = new Date(ms).toISOString().replace(/[-:]|\.\d+/g, '');
    const name = `${time}-${serialNumber}`;
    if (!names.has(name)) return name;
  }
}

/** Makes `current` name another pair, all of whose files change at once. */
export async function switchCurrent({ dir, io }: Machine, name: string): Promise<void> {
  io.atStep?.('switch current');
  await replaceLink(join(dir, currentLink), name).catch(throwWithFile(join(dir, currentLink)));
}

/** Notes that the server was reloaded with a pair. */
export async function markServed({ dir, io }: Machine, name: string): Promise<void> {
  io.atStep?.('note that it is served');
  const mark = join(dir, name, servedMark);
  await rm(mark, { force: true });
  await writeNewFile(mark, '', { mode: 0o644 });
  await syncFolder(join(dir, name));
}

/** Forgets it, before the server may be reloaded with another pair. */
export async function unmarkServed({ dir, io }: Machine, name: string): Promise<void> {
  io.atStep?.('forget that it is served');
  await rm(join(dir, name, servedMark), { force: true });
  await syncFolder(join(dir, name));
}

export async function removePair({ dir, io }: Machine, name: string): Promise<void> {
  io.atStep?.('remove an old pair');
  await rm(join(dir, name), { recursive: true, force: true });
}
