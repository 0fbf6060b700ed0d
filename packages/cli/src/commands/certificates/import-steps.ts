import { AppError, type ImportSource, type ReviewedName } from '@certloop/contracts';
import { parseCsr, parsePemBlocks, publicKeysEqual } from '@certloop/crypto';
import { readPages } from '../../connection/pages.js';
import type { Manager } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { Unusable } from '../../import/found-certificate.js';
import {
  findSuperseded,
  type ImportPlan,
  type NameThere,
  planImport,
  skipReason,
} from '../../import/import-plan.js';
import { csrForCertificate } from '../../import/key-csr.js';
import type { CertificateOnDisk, DiskContents, UnusablePath } from '../../import/tool-files.store.js';
import { findSpace } from '../../lookup.js';
import { addFqdn, uploadCsr } from './issue-steps.js';

export interface ImportOptions {
  readonly space?: string;
  readonly apply?: true;
  readonly csr?: true;
}

/** Outcome for a CSR, carried out or only planned. */
export interface CsrOutcome {
  readonly action: 'store' | 'there' | 'fail';
  readonly reason?: string;
}

/** Outcome for a certificate or a path, carried out or only planned. */
export interface ImportOutcome extends ImportPlan {
  readonly source: ImportSource;
  readonly path: string;
  /** Whether the action was carried out. */
  readonly applied: boolean;
  readonly fqdn?: string;
  readonly names?: readonly string[];
  readonly issuer?: string;
  readonly notBefore?: string;
  readonly expiresAt?: string;
  readonly serialNumber?: string;
  readonly sha256?: string;
  readonly certificateId?: string;
  readonly csr?: CsrOutcome;
}

/** Parts that the certificates of one call share. */
export interface ImportBatch {
  readonly manager: Manager;
  readonly spaceId: string;
  readonly source: ImportSource;
  readonly options: ImportOptions;
}

/** The space of an option; without it, the only one there is. Throws UsageError for several. */
export async function importSpace(manager: Manager, named: string | undefined): Promise<string> {
  if (named !== undefined) return (await findSpace(manager, named)).id;
  const [only, ...others] = (await manager.listSpaces()).body;
  if (only === undefined) throw new UsageError('there is no space; certloop spaces create creates one');
  if (others.length === 0) return only.id;
  throw new UsageError('there are several spaces: choose one with --space; certloop spaces lists them');
}

/** Plans every certificate, in the order in which they were found. */
export async function planAll(
  { manager, spaceId, source }: ImportBatch,
  { found, unusable }: DiskContents,
  now: Date,
): Promise<readonly (readonly [CertificateOnDisk | UnusablePath, ImportOutcome])[]> {
  const usable = found.filter((one) => skipReason(one, now) === undefined);
  const superseded = findSuperseded(usable);
  const names = usable.flatMap((one) => (superseded.has(one) || one.fqdn === undefined ? [] : [one.fqdn]));
  const there = await readThere(manager, spaceId, names);
  const planned = found.map((one) => {
    const reason = skipReason(one, now) ?? superseded.get(one);
    const name = there.get(one.fqdn ?? '');
    const plan: ImportPlan =
      reason !== undefined || name === undefined
        ? { action: 'skip', ...(reason !== undefined && { reason }) }
        : planImport(one, name);
    return [one, { ...factsOf(one), source, applied: false, ...plan }] as const;
  });
  const others = unusable.map((one) => {
    const { path, reason, isFault } = one;
    return [
      one,
      { source, path, applied: false, action: isFault ? 'fail' : 'skip', reason } as const,
    ] as const;
  });
  return [...planned, ...others];
}

function factsOf({ path, fqdn, names, leaf, issuer, sha256 }: CertificateOnDisk) {
  return {
    path,
    ...(fqdn !== undefined && { fqdn }),
    names,
    issuer,
    notBefore: leaf.notBefore.toISOString(),
    expiresAt: leaf.notAfter.toISOString(),
    serialNumber: leaf.serialNumber,
    sha256,
  };
}

// the most names that one call reviews, and the most FQDNs that are asked for one by one
const [reviewSize, maxSingle] = [1000, 100];

/** The verdicts of the space on the names, and the newest certificates of those that it has. */
async function readThere(
  manager: Manager,
  spaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, NameThere>> {
  const reviews: ReviewedName[] = [];
  for (let from = 0; from < names.length; from += reviewSize) {
    const body = { names: names.slice(from, from + reviewSize) };
    reviews.push(...(await manager.reviewFqdns({ params: { id: spaceId }, body })).body);
  }
  const existing = reviews.filter(({ fqdnId }) => fqdnId !== undefined);
  const newest = await readNewest(
    manager,
    spaceId,
    existing.map(({ name }) => name),
  );
  return new Map(reviews.map((review) => [review.name, { review, newest: newest.get(review.fqdnId ?? '') }]));
}

async function readNewest(manager: Manager, spaceId: string, names: readonly string[]) {
  const found: [string, NameThere['newest']][] = [];
  const read = async (query: { readonly fqdn?: string; readonly cursor?: string | undefined }) => {
    const page = await manager.listAllFqdns({
      query: { ...query, spaceId, include: 'status', limit: '1000' },
    });
    for (const { id, status } of page.body) found.push([id, status?.certificate]);
    return page;
  };
  if (names.length <= maxSingle) for (const fqdn of names) await read({ fqdn });
  else await readPages((cursor) => read({ cursor }));
  return new Map(found);
}

/** Carries out a plan, and plans or stores the CSR. What the service refuses is an outcome, and the rest goes on. */
export async function carryOut(
  batch: ImportBatch,
  one: CertificateOnDisk,
  planned: ImportOutcome,
): Promise<ImportOutcome> {
  const outcome = batch.options.apply === true ? await applyPlan(batch, one, planned) : planned;
  const isWanted = batch.options.csr === true && ['create', 'import', 'there'].includes(outcome.action);
  return isWanted ? { ...outcome, csr: await storeCsr(batch, one, outcome) } : outcome;
}

async function applyPlan(
  { manager, spaceId, source }: ImportBatch,
  { fqdn, pem }: CertificateOnDisk,
  planned: ImportOutcome,
): Promise<ImportOutcome> {
  if (fqdn === undefined || (planned.action !== 'create' && planned.action !== 'import')) return planned;
  try {
    const fqdnId = planned.fqdnId ?? (await addFqdn(manager, spaceId, fqdn, undefined));
    const { body } = await manager.importCertificate({ params: { spaceId, fqdnId }, body: { pem, source } });
    const reason =
      body.unverified === true
        ? { reason: 'its signature could not be verified: its issuer is missing' }
        : {};
    return { ...planned, applied: true, fqdnId, certificateId: body.id, ...reason };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...planned, action: 'fail', reason: error.message };
  }
}

/** Makes the CSR with the local key, in memory; stores it if the plan was carried out and the newest CSR is another one. */
async function storeCsr(
  { manager, spaceId, options }: ImportBatch,
  { fqdn, leaf, readKeys }: CertificateOnDisk,
  { fqdnId }: ImportOutcome,
): Promise<CsrOutcome> {
  try {
    const params = fqdnId === undefined ? undefined : { spaceId, fqdnId };
    if (params !== undefined && (await hasCsrOf(manager, params, leaf))) return { action: 'there' };
    const files = await readKeys();
    const pem = await csrForCertificate(leaf, files).finally(() => {
      for (const bytes of files) bytes.fill(0);
    });
    if (options.apply === true && params !== undefined && fqdn !== undefined)
      await uploadCsr(manager, { ...params, fqdn, name: 'certloop-import.csr', pem }, {});
    return { action: 'store' };
  } catch (error) {
    if (!(error instanceof Unusable || error instanceof AppError)) throw error;
    return { action: 'fail', reason: error.message };
  }
}

/** Whether the newest CSR of the FQDN has the key and the DNS names of the certificate. */
async function hasCsrOf(
  manager: Manager,
  params: { readonly spaceId: string; readonly fqdnId: string },
  { spkiDer, subjectAltNames }: CertificateOnDisk['leaf'],
): Promise<boolean> {
  const [newest] = [(await manager.listCsrs({ params, query: { order: 'desc', limit: '1' } })).body].flat();
  const [block] = newest === undefined ? [] : parsePemBlocks(newest.csrPem);
  if (block === undefined) return false;
  const csr = parseCsr(block.der);
  const namesOf = (names: readonly string[]) => [...names].sort().join();
  return (
    publicKeysEqual(csr.spkiDer, spkiDer) &&
    namesOf(csr.subjectAltNames.dnsNames) === namesOf(subjectAltNames.dnsNames)
  );
}
