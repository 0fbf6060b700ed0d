import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCsr, exportPrivateKeyPem, generateKeyPair, importPrivateKey } from '@certloop/crypto';
import { faultCode, throwWithFile } from '../faults/system-fault.js';
import type { Machine } from './machine.js';
import type { PendingKey } from './next-step.js';
import { digestOfKey } from './pair-folders.js';
import { replaceFile, syncFolder } from './whole-files.js';

const ownerOnly = { mode: 0o600 } as const;

const folderOf = ({ dir }: Machine): string => join(dir, 'pending');
const fileOf = (machine: Machine, name: string): string => join(folderOf(machine), name);

/** A key that waits for its certificate, with its CSR. */
export interface StoredKey extends PendingKey {
  readonly key: string;
  /** As PEM; '' while there is none. */
  readonly csr: string;
}

/** Undefined while there is no key. */
export async function readPendingKey(machine: Machine): Promise<StoredKey | undefined> {
  const read = (name: string) =>
    readFile(fileOf(machine, name), 'utf8').catch((error: unknown) => {
      if (faultCode(error) === 'ENOENT') return undefined;
      throw error;
    });
  const key = await read('key.pem');
  if (key === undefined) return undefined;
  const csr = await read('csr.pem');
  return {
    key,
    csr: csr ?? '',
    spkiSha256: digestOfKey(key),
    hasCsr: csr !== undefined,
    isUploaded: (await read('uploaded')) !== undefined,
  };
}

/** Makes a key that only this user may read; it is on the disk before anything is asked with it. */
export async function makeKey(machine: Machine): Promise<void> {
  const { privateKey } = await generateKeyPair('P-256');
  machine.io.atStep?.('write the new key');
  await mkdir(folderOf(machine), { recursive: true, mode: 0o700 }).catch(throwWithFile(folderOf(machine)));
  await syncFolder(machine.dir);
  await replaceFile(fileOf(machine, 'key.pem'), exportPrivateKeyPem(privateKey), ownerOnly);
}

/** Names that the CSR asks for. */
export interface WantedNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

export async function makeCsr(machine: Machine, { key }: StoredKey, names: WantedNames): Promise<void> {
  const privateKey = importPrivateKey(key);
  const commonName = [machine.fqdn, ...names.dnsNames].find((name) => name.length <= 64);
  const subject = commonName === undefined ? {} : { commonName };
  const { pem } = await buildCsr({ privateKey, subject, ...names });
  machine.io.atStep?.('write the CSR');
  await replaceFile(fileOf(machine, 'csr.pem'), pem, ownerOnly);
}

export async function markUploaded(machine: Machine): Promise<void> {
  machine.io.atStep?.('note the upload');
  await replaceFile(fileOf(machine, 'uploaded'), '', ownerOnly);
}

/** Removes the key, which a pair has. */
export async function dropPendingKey(machine: Machine): Promise<void> {
  machine.io.atStep?.('remove the pending key');
  await rm(folderOf(machine), { recursive: true, force: true });
  await syncFolder(machine.dir);
}
