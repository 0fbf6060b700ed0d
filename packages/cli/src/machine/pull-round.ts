import { AppError, type DeliveredCertificate } from '@certloop/contracts';
import {
  type Certificate,
  exportSpki,
  importPrivateKey,
  parseCertificate,
  spkiSha256,
  splitChain,
} from '@certloop/crypto';
import { judgeChain, judgeDates, judgeName, judgePair } from '../certificates/judge-files.js';
import { isSamePem } from '../commands/certificates/csrs.js';
import { uploadCsr } from '../commands/certificates/issue-steps.js';
import type { Manager } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { describeFault } from '../faults/system-fault.js';
import { servePair } from './activate.js';
import { areCopiesStale, writeCopies } from './copies.js';
import type { Machine } from './machine.js';
import { type Asked, askNewest, type FqdnIds } from './newest.js';
import { type Newest, nextStep, type OnDisk, obsoletePairs } from './next-step.js';
import {
  digestOfKey,
  readPairs,
  removePair,
  type StoredPair,
  storePair,
  unmarkServed,
} from './pair-folders.js';
import {
  dropPendingKey,
  makeCsr,
  makeKey,
  markUploaded,
  readPendingKey,
  type StoredKey,
  type WantedNames,
} from './pending-key.js';

/** The delivered certificate cannot be installed here. */
export class NotInstallable extends Error {}

/** How a round ended. */
export interface RoundEnd {
  /** `installed` if the server got another certificate. */
  readonly outcome: 'installed' | 'unchanged' | 'none';
  readonly current: StoredPair | undefined;
  /** Seconds after which the manager wants to be asked again, if it said so. */
  readonly retryAfter: string | undefined;
}

export interface RoundDeps {
  readonly manager: Manager;
  readonly machine: Machine;
  readonly findIds: () => Promise<FqdnIds>;
  readonly now: () => Date;
  /** Seconds that the manager may hold the request. */
  readonly wait: number;
  readonly signal: AbortSignal;
  /** The newest certificate if it is for another key than the one that waits: the manager need not send it again. */
  readonly seen: { etag?: string };
}

/** State of the folder, with the texts that are needed to go on. */
interface Found extends OnDisk {
  readonly current: StoredPair | undefined;
  readonly pairs: readonly StoredPair[];
  readonly pending: StoredKey | undefined;
  readonly keyFileText: string | undefined;
}

/**
 * Goes on step by step until there is nothing left to do, from whatever state a killed process has left. Throws
 * NotInstallable, ActivationFailed, AppError for the manager, and faults of the system.
 */
export async function pullRound(deps: RoundDeps): Promise<RoundEnd> {
  const { machine, now } = deps;
  let asked: Asked | undefined;
  let isInstalled = false;
  for (;;) {
    const disk = await readDisk(machine);
    const step = nextStep(disk, newestOf(asked), machine);
    if (step === 'ask') asked = await ask(deps, disk);
    else if (step === 'wait') {
      for (const name of obsoletePairs(disk, now())) await removePair(machine, name);
      const { current } = disk;
      if (asked?.kind === 'newest') deps.seen.etag = asked.certificate.etag;
      const retryAfter = asked?.kind === 'unchanged' ? asked.retryAfter : undefined;
      const outcome = isInstalled ? 'installed' : asked?.kind === 'none' ? 'none' : 'unchanged';
      return { outcome, current, retryAfter };
    } else {
      await takeStep(deps, disk, step, asked);
      isInstalled ||= step === 'install' || step === 'activate';
    }
  }
}

async function takeStep(
  deps: RoundDeps,
  disk: Found,
  step: Exclude<ReturnType<typeof nextStep>, 'ask' | 'wait'>,
  asked: Asked | undefined,
): Promise<void> {
  const { machine, now } = deps;
  const { current, pending } = disk;
  if (step === 'drop_pending') return dropPendingKey(machine);
  if (step === 'make_key') return makeKey(machine);
  if (step === 'mend_copies' && current !== undefined) return mendCopies(machine, current);
  if (step === 'activate' && current !== undefined) return servePair(machine, disk, current, now());
  if (step === 'make_csr' && pending !== undefined) return makeCsr(machine, pending, await namesOf(deps));
  if (step === 'upload_csr' && pending !== undefined) return upload(deps, pending);
  if (asked?.kind !== 'newest') throw new Error(`no certificate to ${step}`);
  if (step === 'refuse') throw new NotInstallable(fitsNoKey(machine, asked.certificate));
  return install(deps, disk, asked.certificate);
}

async function readDisk(machine: Machine): Promise<Found> {
  const { pairs, current } = await readPairs(machine);
  const keyFileText = machine.keyFile === undefined ? undefined : await readKeyFile(machine, machine.keyFile);
  return {
    pairs,
    current,
    pending: await readPendingKey(machine),
    keyFileText,
    givenKey: keyFileText === undefined ? undefined : digestOfKey(keyFileText),
    areCopiesStale: current !== undefined && (await areCopiesStale(machine, current)),
  };
}

/** Throws UsageError without the text of the file. */
async function readKeyFile({ io }: Machine, file: string): Promise<string> {
  const text = await io.readText(file).catch((error: unknown) => {
    throw new UsageError(`--key: ${describeFault(error, file)}`);
  });
  try {
    importPrivateKey(text);
  } catch (error) {
    throw new UsageError(`--key: ${file}: ${(error as Error).message}`);
  }
  return text;
}

async function ask(
  { manager, findIds, wait, signal, seen }: RoundDeps,
  { current, pending, givenKey }: Found,
): Promise<Asked> {
  if (current === undefined && pending === undefined && givenKey === undefined)
    throw new UsageError('there is no key here yet: name it with --key, or make one with --new-key');
  const etag = pending === undefined ? current?.etag : (seen.etag ?? current?.etag);
  return askNewest(manager, await findIds(), { etag, wait, signal });
}

function newestOf(asked: Asked | undefined): Newest {
  if (asked === undefined) return 'unknown';
  if (asked.kind !== 'newest') return asked.kind;
  const { fullchain } = asked.certificate;
  return { fullchain, spkiSha256: spkiSha256(leafOf(asked.certificate).spkiDer) };
}

function leafOf({ leaf }: Pick<DeliveredCertificate, 'leaf'>): Certificate {
  const [der = Buffer.alloc(0)] = splitChain(leaf);
  return parseCertificate(der);
}

function fitsNoKey({ keyFile, dir }: Machine, { serialNumber }: DeliveredCertificate): string {
  const here = keyFile === undefined ? dir : `${dir} and ${keyFile}`;
  return `the newest certificate (serial ${serialNumber}) was issued for a key that is not in ${here}: name its key with --key, or upload the CSR of the key that is here and have it signed (certloop issue)`;
}

/** Server and copies had different pairs, so all of it is activated again. */
async function mendCopies(machine: Machine, current: StoredPair): Promise<void> {
  if (current.isServed) await unmarkServed(machine, current.name);
  await writeCopies(machine, current);
}

/** Checks a certificate before anything is written, stores it with its key, and has it served. */
async function install(deps: RoundDeps, disk: Found, delivered: DeliveredCertificate): Promise<void> {
  const { machine, now } = deps;
  const key = keyFor(disk, delivered);
  judge(machine, delivered, key, now());
  // an earlier attempt may have stored it
  const known = disk.pairs.find(({ fullchain }) => fullchain === delivered.fullchain);
  const { leaf: cert, chain, fullchain, etag, serialNumber } = delivered;
  const name =
    known?.name ?? (await storePair(machine, { key, cert, chain, fullchain, etag, serialNumber }, now()));
  const stored = await readDisk(machine);
  const pair = stored.pairs.find((one) => one.name === name);
  if (pair === undefined) throw new Error(`${machine.dir}/${name} is not as it was written; check the disk`);
  if (stored.pending?.spkiSha256 === pair.spkiSha256) await dropPendingKey(machine);
  await servePair(machine, stored, pair, now());
}

function keyFor({ keyFileText, pending, pairs }: Found, delivered: DeliveredCertificate): string {
  const wanted = spkiSha256(leafOf(delivered).spkiDer);
  const keys = [keyFileText, pending?.key, ...pairs.map(({ files }) => files.key)];
  const found = keys.find((key) => key !== undefined && digestOfKey(key) === wanted);
  if (found === undefined) throw new Error('no key fits the certificate');
  return found;
}

/** Throws NotInstallable for dates, a chain, a name or a key that clients would refuse. */
function judge({ fqdn }: Machine, delivered: DeliveredCertificate, key: string, now: Date): void {
  const leaf = leafOf(delivered);
  const chain = splitChain(delivered.fullchain).slice(1).map(parseCertificate);
  const spkiDer = exportSpki(importPrivateKey(key));
  const findings = [
    judgeDates([leaf, ...chain], now),
    judgePair(leaf, spkiDer),
    ...(chain.length === 0 ? [] : [judgeChain(leaf, chain, now)]),
    judgeName(leaf, fqdn.replace(/^\*/, 'certloop')),
  ];
  const fault = findings.find(({ well }) => !well);
  if (fault !== undefined)
    throw new NotInstallable(`the newest certificate is not installed: ${fault.check}: ${fault.message}`);
}

/** The names of the newest CSR, so that another key changes nothing else; without one, the FQDN. */
async function namesOf({ manager, machine, findIds }: RoundDeps): Promise<WantedNames> {
  const newest = await newestCsr(manager, await findIds());
  if (newest === undefined) return { dnsNames: [machine.fqdn], ipAddresses: [] };
  const { dnsNames, ipAddresses } = newest;
  return { dnsNames: dnsNames.length === 0 ? [machine.fqdn] : dnsNames, ipAddresses };
}

async function newestCsr(manager: Manager, params: FqdnIds) {
  try {
    return [(await manager.listCsrs({ params, query: { latest: 'true' } })).body].flat()[0];
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** Uploads the CSR once: after a kill, the manager may have it already. */
async function upload({ manager, machine, findIds }: RoundDeps, { csr }: StoredKey): Promise<void> {
  const params = await findIds();
  const newest = await newestCsr(manager, params);
  if (newest === undefined || !isSamePem(newest.csrPem, csr)) {
    machine.io.atStep?.('upload the CSR');
    await uploadCsr(manager, { ...params, fqdn: machine.fqdn, name: 'certloop.csr', pem: csr }, {});
  }
  await markUploaded(machine);
}
