import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '@certloop/contracts';
import { csrLabels, describeCsr, parseCsr, parsePem } from '@certloop/crypto';
import type { Command } from 'commander';
import { findProvider, findSpace } from '../lookup.js';
import type { Manager, Session } from '../session.js';
import { describeFault, faultCode } from '../system-fault.js';
import { UsageError } from '../usage-error.js';

interface IssueOptions {
  readonly space: string;
  readonly provider?: string;
  readonly outDir?: string;
  readonly renew?: boolean;
}

interface Outcome {
  readonly file: string;
  readonly fqdn?: string;
  readonly success: boolean;
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
    .option('--out-dir <folder>', 'write each certificate as <fqdn>.pem there')
    .action((files: string[], options: IssueOptions) => issueAll(open(), files, options));
}

async function issueAll(session: Session, files: readonly string[], options: IssueOptions): Promise<void> {
  const { io, report } = session;
  const client = await session.manager();
  const { id: spaceId } = await findSpace(client, options.space);
  const providerId =
    options.provider === undefined ? undefined : (await findProvider(client, options.provider)).id;
  if (options.outDir !== undefined) await mkdir(options.outDir, { recursive: true });
  const known = new Map(
    (await client.listFqdns({ params: { id: spaceId } })).body.map((f) => [f.fqdn, f.id]),
  );
  const progress = session.progress(files.length);
  const outcomes: Outcome[] = [];
  for (const file of files) {
    progress.step(file);
    outcomes.push(await outcomeOf(file, () => issueOne(file)));
  }
  progress.end();
  report.list(outcomes, ({ file, fqdn, success, message, certificate }) => ({
    file: basename(file),
    fqdn,
    result: success ? 'issued' : 'failed',
    certificate,
    message,
  }));
  const failed = outcomes.filter(({ success }) => !success).length;
  if (failed > 0) throw new Error(`${failed} of ${files.length} failed`);

  async function issueOne(file: string): Promise<Omit<Outcome, 'file'>> {
    const pem = await io.readText(file);
    const fqdn = hostnameOf(pem);
    const fqdnId = known.get(fqdn) ?? (await addFqdn(client, spaceId, fqdn, providerId));
    known.set(fqdn, fqdnId);
    const place = { spaceId, fqdnId };
    await client.uploadCsr({
      params: place,
      body: {
        file: { name: basename(file), contentType: 'application/pkcs10', bytes: Buffer.from(pem) },
        fields: { spaceId, fqdn },
      },
    });
    const signed = await sign(client, place, providerId);
    if (!signed.success) return { fqdn, success: false, message: signed.message };
    if (options.renew === true)
      await client.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
    const certificate = options.outDir === undefined ? undefined : join(options.outDir, fileNameOf(fqdn));
    if (certificate !== undefined && signed.pem !== undefined) await writeFile(certificate, signed.pem);
    return {
      fqdn,
      success: true,
      message: signed.message,
      ...(certificate !== undefined && { certificate }),
    };
  }
}

/** What became of one file; a refusal is an outcome, so that the other files still have their turn. */
async function outcomeOf(file: string, work: () => Promise<Omit<Outcome, 'file'>>): Promise<Outcome> {
  try {
    return { file, ...(await work()) };
  } catch (error) {
    const isExpected =
      error instanceof AppError || error instanceof UsageError || faultCode(error) !== undefined;
    if (!isExpected) throw error;
    return { file, success: false, message: describeFault(error) };
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
  // The command was given by someone: what exists already is what he wants anew.
  const request = { params, query: { wait: '120' }, body: { confirmed: true } };
  const { success, message, certificate } = (await client.requestCertificate(request)).body;
  return { success, message, pem: certificate?.pem };
}

/** Host name that a CSR asks for: its first DNS name, else its common name. Throws UsageError. */
function hostnameOf(pem: string): string {
  const { dnsNames, commonNames } = describeCsr(parseCsr(parsePem(pem, csrLabels)));
  const name = dnsNames[0] ?? commonNames[0];
  if (name === undefined) throw new UsageError('the CSR names no host');
  return name.toLowerCase();
}

function fileNameOf(fqdn: string): string {
  return `${fqdn.replace('*', '_')}.pem`;
}
