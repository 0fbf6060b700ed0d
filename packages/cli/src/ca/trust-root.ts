import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { type TrustStore, trustHints, trustStoreOf } from './trust-store.js';

const execute = promisify(execFile);

interface Root {
  readonly pem: string;
  readonly subject: string;
  /** SHA-256 over the DER, in lower-case hex. */
  readonly fingerprint: string;
  readonly notAfter: string;
}

async function readRoot({ dummyCa }: Session): Promise<Root> {
  const { body: pem } = await dummyCa.getRoot();
  const { subject, fingerprint256, validTo } = new X509Certificate(pem);
  return {
    pem,
    subject,
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    notAfter: new Date(validTo).toISOString(),
  };
}

/** Prints the root on standard output, and on standard error how to make programs trust it. */
export async function showRoot(session: Session): Promise<void> {
  const root = await readRoot(session);
  session.report.text(`${root.pem.trimEnd()}\n`, root);
  session.report.warn(`SHA-256 ${root.fingerprint}, until ${root.notAfter}`);
  for (const hint of trustHints) session.report.warn(hint);
}

/** Installs the root for the whole machine, or below the folder. Throws if privileges or a trust store are missing. */
export async function installRoot(session: Session, folder: string | undefined): Promise<void> {
  const store = requireStore(folder);
  const root = await readRoot(session);
  await withRights(store, async () => {
    await mkdir(dirname(store.file), { recursive: true });
    await writeFile(store.file, root.pem, { mode: 0o644 });
  });
  await run(store.afterInstall);
  session.report.done(`${store.file}: SHA-256 ${root.fingerprint}`, { ...root, file: store.file });
  session.report.warn('dummy-ca creates another root at its next start, unless its root is stored in files');
}

/** Removes an installed root. */
export async function removeRoot({ report }: Session, folder: string | undefined): Promise<void> {
  const store = requireStore(folder);
  if (!existsSync(store.file)) throw new UsageError(`no root is installed: ${store.file} does not exist`);
  await withRights(store, () => rm(store.file));
  await run(store.afterRemove);
  report.done(`removed ${store.file}`, { file: store.file });
}

function requireStore(folder: string | undefined): TrustStore {
  const store = trustStoreOf(process.platform, existsSync, folder);
  if (store !== undefined) return store;
  throw new UsageError(
    'certloop knows no trust store of this machine (only those of Debian, Red Hat and macOS): print the root with certloop ca trust, and install it yourself',
  );
}

async function withRights(store: TrustStore, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new UsageError(
      `${store.file} cannot be written: run certloop ca trust as root (sudo -E keeps the environment)`,
    );
  }
}

async function run([program = '', ...args]: readonly string[]): Promise<void> {
  try {
    await execute(program, args);
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    const reason = (stderr ?? '').trim().split('\n').at(-1) || String(code);
    throw new UsageError(`${program} failed: ${reason}`);
  }
}
