import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError, type Certificate } from '@certloop/contracts';
import {
  type Csr,
  csrLabels,
  describeCsr,
  parseCertificate,
  parseCsr,
  parsePem,
  parsePemBlocks,
} from '@certloop/crypto';
import type { Command } from 'commander';
import { fitsCsr } from '../certificates/fits-csr.js';
import type { Manager, Session } from '../connection/session.js';
import { UsageError } from '../faults/command-errors.js';
import { describeFault, faultCode } from '../faults/system-fault.js';
import { findProvider, findSpace } from '../lookup.js';

interface IssueOptions {
  readonly space: string;
  readonly provider?: string;
  readonly outDir?: string;
  readonly renew?: boolean;
  readonly ifNeeded?: true;
  readonly dryRun?: true;
}

interface Outcome {
  readonly file: string;
  readonly fqdn?: string;
  readonly success: boolean;
  /** Whether something was signed, or would be. */
  readonly changed: boolean;
  readonly message: string;
  readonly certificate?: string;
}

/** Adds `issue`. */
export function addIssue(program: Command, open: () => Session): void {
  program
    .command('issue <csr...>')
    .description(
      'Get certificates for CSR files (PEM): add each missing FQDN, upload its CSR, and have it signed',
    )
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option(
      '-p, --provider <provider>',
      'provider that signs; default: a request by ACME at the own provider of the FQDN',
    )
    .option('--renew', 'switch automatic renewal on as well')
    .option(
      '--if-needed',
      'skip a CSR if the newest certificate has its key and names and is not due for renewal',
    )
    .option('--dry-run', 'only validate the CSRs, and print what would be done')
    .option('--out-dir <folder>', 'folder to write each certificate to, as <fqdn>.pem')
    .action((files: string[], options: IssueOptions) => issueAll(open(), files, options));
}

/** What the files of one call share. */
interface Batch {
  readonly io: Session['io'];
  readonly client: Manager;
  readonly options: IssueOptions;
  readonly spaceId: string;
  readonly providerId: string | undefined;
  /** Ids of the FQDNs of the space by name; those that are added join it. */
  readonly known: Map<string, string>;
}

async function issueAll(session: Session, files: readonly string[], options: IssueOptions): Promise<void> {
  const batch = await openBatch(session, options);
  const outcomes: Outcome[] = [];
  await session.progress(files.length, async (step) => {
    for (const file of files) {
      step(file);
      outcomes.push(await outcomeOf(file, () => issueOne(batch, file)));
    }
  });
  session.report.list(outcomes, ({ file, fqdn, success, changed, message, certificate }) => ({
    file: basename(file),
    fqdn,
    result: resultOf(success, changed, options),
    certificate,
    message,
  }));
  const failed = outcomes.filter(({ success }) => !success).length;
  if (failed > 0) throw new Error(`${failed} of ${files.length} failed`);
  if (outcomes.every(({ changed }) => !changed)) session.unchanged();
}

async function openBatch(session: Session, options: IssueOptions): Promise<Batch> {
  const client = await session.manager();
  const { id: spaceId } = await findSpace(client, options.space);
  const providerId =
    options.provider === undefined ? undefined : (await findProvider(client, options.provider)).id;
  if (options.outDir !== undefined && options.dryRun !== true)
    await mkdir(options.outDir, { recursive: true });
  const fqdns = (await client.listFqdns({ params: { id: spaceId } })).body;
  const known = new Map(fqdns.map(({ fqdn, id }) => [fqdn, id]));
  return { io: session.io, client, options, spaceId, providerId, known };
}

async function issueOne(batch: Batch, file: string): Promise<Omit<Outcome, 'file'>> {
  const { client, options, spaceId, providerId, known } = batch;
  const pem = await batch.io.readText(file);
  const csr = parseCsr(parsePem(pem, csrLabels));
  const fqdn = hostnameOf(csr);
  const found = known.get(fqdn);
  const fitting =
    options.ifNeeded === true && found !== undefined
      ? await findFitting(client, { spaceId, fqdnId: found }, csr)
      : undefined;
  if (fitting !== undefined) {
    const message = `the certificate until ${fitting.expiresAt.slice(0, 10)} fits and is not due`;
    const written = await writeCertificate(options, fqdn, fitting.pem);
    return { fqdn, success: true, changed: false, message, ...written };
  }
  const upload = { spaceId, fqdn, name: basename(file), pem };
  if (options.dryRun === true) {
    if (found !== undefined) await uploadCsr(client, { ...upload, fqdnId: found }, { dryRun: 'true' });
    const message = found === undefined ? 'the FQDN would be added' : 'the CSR would be stored';
    return { fqdn, success: true, changed: true, message };
  }
  const fqdnId = found ?? (await addFqdn(client, spaceId, fqdn, providerId));
  known.set(fqdn, fqdnId);
  const place = { spaceId, fqdnId };
  await uploadCsr(client, { ...upload, fqdnId }, {});
  const signed = await sign(client, place, providerId);
  if (!signed.success) return { fqdn, success: false, changed: false, message: signed.message };
  if (options.renew === true)
    await client.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
  const { message } = signed;
  const written = await writeCertificate(options, fqdn, signed.pem);
  return { fqdn, success: true, changed: true, message, ...written };
}

async function uploadCsr(
  client: Manager,
  csr: Readonly<Record<'spaceId' | 'fqdnId' | 'fqdn' | 'name' | 'pem', string>>,
  query: { readonly dryRun?: 'true' },
): Promise<void> {
  const { spaceId, fqdnId, fqdn, name, pem } = csr;
  const file = { name, contentType: 'application/pkcs10', bytes: Buffer.from(pem) };
  await client.uploadCsr({ params: { spaceId, fqdnId }, query, body: { file, fields: { spaceId, fqdn } } });
}

/** Writes a certificate if the options name a folder; returns its path. */
async function writeCertificate(
  options: IssueOptions,
  fqdn: string,
  pem: string | undefined,
): Promise<{ certificate?: string }> {
  if (options.outDir === undefined || options.dryRun === true) return {};
  const certificate = join(options.outDir, fileNameOf(fqdn));
  if (pem !== undefined) await writeFile(certificate, pem);
  return { certificate };
}

function resultOf(success: boolean, changed: boolean, { dryRun }: IssueOptions): string {
  if (!success) return 'failed';
  if (!changed) return 'unchanged';
  return dryRun === true ? 'would be issued' : 'issued';
}

/** The newest certificate if it is of the CSR's key and names, not revoked and not due. */
async function findFitting(
  client: Manager,
  params: { readonly spaceId: string; readonly fqdnId: string },
  csr: Csr,
): Promise<Certificate | undefined> {
  const newest = (await client.listCertificates({ params })).body.at(-1);
  const [block] = newest === undefined ? [] : parsePemBlocks(newest.pem);
  if (newest === undefined || newest.revokedAt !== undefined || block === undefined) return undefined;
  const { plan } = (await client.explainRenewal({ params })).body;
  const renewAt = plan === undefined ? undefined : new Date(plan.renewAt);
  const fits = fitsCsr(parseCertificate(block.der), csr, { now: new Date(), renewAt });
  return fits ? newest : undefined;
}

/** The outcome of one file. A rejection is an outcome too, so that the other files are still processed. */
async function outcomeOf(file: string, work: () => Promise<Omit<Outcome, 'file'>>): Promise<Outcome> {
  try {
    return { file, ...(await work()) };
  } catch (error) {
    const isExpected =
      error instanceof AppError || error instanceof UsageError || faultCode(error) !== undefined;
    if (!isExpected) throw error;
    return { file, success: false, changed: false, message: describeFault(error) };
  }
}

async function addFqdn(client: Manager, spaceId: string, fqdn: string, providerId: string | undefined) {
  const body = { fqdn, ...(providerId !== undefined && { providerId }) };
  return (await client.createFqdn({ params: { id: spaceId }, body })).body.id;
}

async function sign(
  client: Manager,
  params: { readonly spaceId: string; readonly fqdnId: string },
  providerId: string | undefined,
) {
  if (providerId !== undefined) {
    const request = { params, query: { wait: '120' }, body: { providerId } };
    const { success, message, certificate } = (await client.signCsr(request)).body;
    return { success, message, pem: certificate };
  }
  // A person gave the command, so an existing valid certificate is no reason to ask for confirmation.
  const request = { params, query: { wait: '120' }, body: { confirmed: true } };
  const { success, message, certificate } = (await client.requestCertificate(request)).body;
  return { success, message, pem: certificate?.pem };
}

/** Host name that a CSR asks for: its first DNS name, else its common name. Throws UsageError. */
function hostnameOf(csr: Csr): string {
  const { dnsNames, commonNames } = describeCsr(csr);
  const name = dnsNames[0] ?? commonNames[0];
  if (name === undefined) throw new UsageError('the CSR names no host');
  return name.toLowerCase();
}

function fileNameOf(fqdn: string): string {
  return `${fqdn.replace('*', '_')}.pem`;
}
