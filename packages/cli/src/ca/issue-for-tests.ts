import { randomBytes, randomUUID, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, join } from 'node:path';
import { buildCsr, exportPrivateKeyPem, generateKeyPair, type KeyKind } from '@certloop/crypto';
import type { Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import type { Io } from '../io.js';

export interface IssueOptions {
  readonly keyType: KeyKind;
  /** Name of a profile of the dummy CA. */
  readonly profile?: string;
  readonly days?: number;
  readonly outDir: string;
  readonly passwordFile?: string;
  readonly force?: boolean;
}

/**
 * Makes a key here, has the dummy CA certify it for all names at once, and writes key, certificate, chain, root and
 * PKCS#12 for the owner alone. Throws UsageError before anything is asked when a file is there already.
 */
export async function issueForTests(
  { io, report, dummyCa }: Session,
  asked: readonly string[],
  { keyType, profile, days, outDir, passwordFile, force = false }: IssueOptions,
): Promise<void> {
  const { fileName, ...names } = certificateNames(asked);
  const at = (ending: string) => join(outDir, `${fileName}.${ending}`);
  const files = {
    key: at('key'),
    certificate: at('pem'),
    chain: at('chain.pem'),
    root: at('root.pem'),
    pkcs12: at('p12'),
    ...(passwordFile === undefined && { password: at('p12.password') }),
  };
  if (!force) requireAbsent(Object.values(files));
  const password = await passwordOf(io, passwordFile);
  const { privateKey } = await generateKeyPair(keyType);
  const commonName = names.dnsNames.find((name) => name.length <= 64);
  const csr = await buildCsr({
    privateKey,
    ...names,
    subject: commonName === undefined ? {} : { commonName },
  });
  const { body: rootPem } = await dummyCa.getRoot();
  const body = {
    csr: Buffer.from(csr.pem).toString('base64'),
    action: 'sign' as const,
    ...lengthAndProfile(days, profile),
  };
  const { certificate: pem } = (await dummyCa.signCsr({ body })).body;
  const leaf = new X509Certificate(pem);
  if (!leaf.verify(new X509Certificate(rootPem).publicKey))
    throw new UsageError(
      'the certificate does not match the root of dummy-ca, which was restarted in the meantime: try again',
    );
  const keyPem = exportPrivateKeyPem(privateKey);
  const { encodePkcs12 } = await import('./pkcs12.js');
  const certificatePems = [pem, rootPem];
  const friendlyName = asked[0] ?? fileName;
  const pkcs12 = await encodePkcs12({ keyPem, certificatePems, friendlyName, password });
  if (files.password !== undefined) await writeOwnFile(files.password, password);
  await writeOwnFile(files.key, keyPem);
  await writeOwnFile(files.certificate, pem);
  await writeOwnFile(files.chain, `${pem}${rootPem}`);
  await writeOwnFile(files.root, rootPem);
  await writeOwnFile(files.pkcs12, pkcs12);
  const { serialNumber, validTo } = leaf;
  const facts = { serialNumber: serialNumber.toLowerCase(), notAfter: new Date(validTo).toISOString() };
  report.thing({ ...facts, files }, () => ({ ...facts, ...files }));
}

const usualDays = 90;

/** The profile decides the length unless days are given, which win over it as seconds. */
function lengthAndProfile(days: number | undefined, profile: string | undefined) {
  const length = days === undefined ? {} : { validity_seconds: Math.round(days * 86_400) };
  if (profile !== undefined) return { profile, ...length };
  return { validity_days: usualDays, ...length };
}

/** First line of the file, or a new password. */
async function passwordOf({ readText }: Io, file: string | undefined): Promise<string> {
  if (file === undefined) return randomBytes(18).toString('base64url');
  const password = (await readText(file)).split(/\r?\n/, 1)[0] ?? '';
  if (password === '') throw new UsageError(`${file} has no password in its first line`);
  return password;
}

/** Throws UsageError that names the first of the files that exists. */
function requireAbsent(files: readonly string[]): void {
  const there = files.find((file) => existsSync(file));
  if (there !== undefined) throw new UsageError(`${there} already exists; --force overwrites it`);
}

/** Writes each file whole or not at all, for its owner only; folders are made. */
async function writeOwnFile(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // a new file has the mode also where it replaces one that others could read
  const next = `${file}.${randomUUID()}`;
  await writeFile(next, content, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
}

interface CertificateNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Beginning of the names of files: the first name, with `_` for anything that is not a letter, digit, dot or hyphen. */
  readonly fileName: string;
}

const hostName =
  /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Host names and addresses apart, each once. Throws UsageError for what is neither. */
export function certificateNames(names: readonly string[]): CertificateNames {
  const all = [...new Set(names.map((name) => name.toLowerCase()))];
  const wrong = all.find((name) => isIP(name) === 0 && (!hostName.test(name) || name.length > 253));
  if (wrong !== undefined) throw new UsageError(`${wrong} is neither a host name in ASCII nor an IP address`);
  return {
    dnsNames: all.filter((name) => isIP(name) === 0),
    ipAddresses: all.filter((name) => isIP(name) !== 0),
    fileName: (all[0] ?? '').replace(/[^a-z0-9.-]/g, '_'),
  };
}
