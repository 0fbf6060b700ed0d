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
import type { Manager, Session } from '../connection/session.js';
import { fitsCsr } from '../fits-csr.js';
import { findProvider, findSpace } from '../lookup.js';
import { describeFault, faultCode } from '../system-fault.js';
import { UsageError } from '../usage-error.js';

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
    .description('From CSR files (PEM) to certificates: add each FQDN where absent, upload, have it signed')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option('-p, --provider <provider>', 'who signs; ACME with the FQDN’s own provider when absent')
    .option('--renew', 'and switch automatic renewal on')
    .option(
      '--if-needed',
      'sign nothing while the newest certificate has key and names of the CSR and is not due',
    )
    .option('--dry-run', 'judge the CSRs, and only say what would be done')
    .option('--out-dir <folder>', 'write each certificate as <fqdn>.pem there')
    .action((files: string[], options: IssueOptions) => issueAll(open(), files, options));
}

async function issueAll(session: Session, files: readonly string[], options: IssueOptions): Promise<void> {
  const { io, report } = session;
  const client = await session.manager();
  const { id: spaceId } = await findSpace(client, options.space);
  const providerId =
    options.provider === undefined ? undefined : (await findProvider(client, options.provider)).id;
  if (options.outDir !== undefined && options.dryRun !== true)
    await mkdir(options.outDir, { recursive: true });
  const known = new Map(
    (await client.listFqdns({ params: { id: spaceId } })).body.map((f) => [f.fqdn, f.id]),
  );
  const outcomes: Outcome[] = [];
  await session.progress(files.length, async (step) => {
    for (const file of files) {
      step(file);
      outcomes.push(await outcomeOf(file, () => issueOne(file)));
    }
  });
  report.list(outcomes, ({ file, fqdn, success, changed, message, certificate }) => ({
    file: basename(file),
    fqdn,
    result: resultOf(success, changed, options),
    certificate,
    message,
  }));
  const failed = outcomes.filter(({ success }) => !success).length;
  if (failed > 0) throw new Error(`${failed} of ${files.length} failed`);
  if (outcomes.every(({ changed }) => !changed)) session.unchanged();

  async function issueOne(file: string): Promise<Omit<Outcome, 'file'>> {
    const pem = await io.readText(file);
    const csr = parseCsr(parsePem(pem, csrLabels));
    const fqdn = hostnameOf(csr);
    const found = known.get(fqdn);
    const fitting =
      options.ifNeeded === true && found !== undefined
        ? await findFitting(client, { spaceId, fqdnId: found }, csr)
        : undefined;
    if (fitting !== undefined) {
      const message = `the certificate until ${fitting.expiresAt.slice(0, 10)} fits and is not due`;
      return { fqdn, success: true, changed: false, message, ...(await written(fqdn, fitting.pem)) };
    }
    const uploadOf = (fqdnId: string, query: { readonly dryRun?: 'true' }) =>
      client.uploadCsr({
        params: { spaceId, fqdnId },
        query,
        body: {
          file: { name: basename(file), contentType: 'application/pkcs10', bytes: Buffer.from(pem) },
          fields: { spaceId, fqdn },
        },
      });
    if (options.dryRun === true) {
      if (found !== undefined) await uploadOf(found, { dryRun: 'true' });
      const message = found === undefined ? 'the FQDN would be added' : 'the CSR would be stored';
      return { fqdn, success: true, changed: true, message };
    }
    const fqdnId = found ?? (await addFqdn(client, spaceId, fqdn, providerId));
    known.set(fqdn, fqdnId);
    const place = { spaceId, fqdnId };
    await uploadOf(fqdnId, {});
    const signed = await sign(client, place, providerId);
    if (!signed.success) return { fqdn, success: false, changed: false, message: signed.message };
    if (options.renew === true)
      await client.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
    const { message } = signed;
    return { fqdn, success: true, changed: true, message, ...(await written(fqdn, signed.pem)) };
  }

  /** Writes a certificate where the options say so. */
  async function written(fqdn: string, pem: string | undefined): Promise<{ certificate?: string }> {
    if (options.outDir === undefined || options.dryRun === true) return {};
    const certificate = join(options.outDir, fileNameOf(fqdn));
    if (pem !== undefined) await writeFile(certificate, pem);
    return { certificate };
  }
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

/** What became of one file; a refusal is an outcome, so that the other files still have their turn. */
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
    const { success, message, certificate } = (await client.signCsr({ params, body: { providerId } })).body;
    return { success, message, pem: certificate };
  }
  // The command was given by someone: they want again what exists already.
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
