import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError, type Certificate } from '@certloop/contracts';
import { type Csr, describeCsr, parseCertificate, parsePemBlocks } from '@certloop/crypto';
import { fitsCsr } from '../../certificates/fits-csr.js';
import type { Manager, Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { describeFault, faultCode } from '../../faults/system-fault.js';
import { execute } from '../../jobs/execute.js';
import { withoutSecrets } from '../../jobs/run-watched.js';

export interface IssueOptions {
  readonly space: string;
  readonly provider?: string;
  readonly outDir?: string;
  readonly renew?: boolean;
  readonly ifNeeded?: true;
  readonly dryRun?: true;
  readonly deployHook?: string;
}

export interface Outcome {
  readonly file: string;
  readonly fqdn?: string;
  readonly success: boolean;
  /** Whether something was signed, or would be. */
  readonly changed: boolean;
  readonly message: string;
  readonly certificate?: string;
}

/** Parts that the files of one call share. */
export interface Batch {
  readonly io: Session['io'];
  readonly manager: Manager;
  readonly options: IssueOptions;
  readonly spaceId: string;
  readonly providerId: string | undefined;
  /** Ids of the FQDNs of the space by name; those that are added join it. */
  readonly known: Map<string, string>;
}

export async function uploadCsr(
  manager: Manager,
  csr: Readonly<Record<'spaceId' | 'fqdnId' | 'fqdn' | 'name' | 'pem', string>>,
  query: { readonly dryRun?: 'true' },
): Promise<void> {
  const { spaceId, fqdnId, fqdn, name, pem } = csr;
  const file = { name, contentType: 'application/pkcs10', bytes: Buffer.from(pem) };
  await manager.uploadCsr({ params: { spaceId, fqdnId }, query, body: { file, fields: { spaceId, fqdn } } });
}

/**
 * Writes a certificate if the options name a folder, and runs the deploy hook if the file has changed, or if the hook has
 * not succeeded since; returns the path of the file. The outcome is a failure if the hook fails.
 */
export async function deliver(
  { io, options }: Pick<Batch, 'io' | 'options'>,
  fqdn: string,
  pem: string | undefined,
): Promise<Partial<Outcome>> {
  const { outDir, dryRun, deployHook } = options;
  if (outDir === undefined || dryRun === true) return {};
  const certificate = join(outDir, fileNameOf(fqdn));
  if (pem === undefined) return { certificate };
  const isSame = (await readFile(certificate, 'utf8').catch(() => undefined)) === pem;
  if (deployHook === undefined) {
    await writeFile(certificate, pem);
    return { certificate };
  }
  // there until the hook has succeeded, even if this process is killed
  const mark = `${certificate}.undeployed`;
  if (isSame && !(await exists(mark))) return { certificate };
  await writeFile(mark, '');
  await writeFile(certificate, pem);
  const env = { ...withoutSecrets(io.env), CERTLOOP_FQDN: fqdn, CERTLOOP_CERTIFICATE: resolve(certificate) };
  // standard output has the result of the command
  const { code } = await execute({ ...io, out: io.err }, ['sh', '-c', deployHook], env);
  if (code === 0) {
    await rm(mark, { force: true });
    return { certificate };
  }
  const message = `${certificate} is written, but the deploy hook failed with exit code ${code}; the next run of this command runs it again`;
  return { certificate, success: false, message };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

export function resultOf(success: boolean, changed: boolean, { dryRun }: IssueOptions): string {
  if (!success) return 'failed';
  if (!changed) return 'unchanged';
  return dryRun === true ? 'would be issued' : 'issued';
}

/** The newest certificate if it is of the CSR's key and names, not revoked and not due. */
export async function findFitting(
  manager: Manager,
  params: { readonly spaceId: string; readonly fqdnId: string },
  csr: Csr,
): Promise<Certificate | undefined> {
  const newest = (await manager.listCertificates({ params })).body.at(-1);
  const [block] = newest === undefined ? [] : parsePemBlocks(newest.pem);
  if (newest === undefined || newest.revokedAt !== undefined || block === undefined) return undefined;
  const { plan } = (await manager.explainRenewal({ params })).body;
  const renewAt = plan === undefined ? undefined : new Date(plan.renewAt);
  const fits = fitsCsr(parseCertificate(block.der), csr, { now: new Date(), renewAt });
  return fits ? newest : undefined;
}

/** The outcome of one file. A rejection is an outcome too, so that the other files are still processed. */
export async function outcomeOf(file: string, work: () => Promise<Omit<Outcome, 'file'>>): Promise<Outcome> {
  try {
    return { file, ...(await work()) };
  } catch (error) {
    const isExpected =
      error instanceof AppError || error instanceof UsageError || faultCode(error) !== undefined;
    if (!isExpected) throw error;
    return { file, success: false, changed: false, message: describeFault(error) };
  }
}

export async function addFqdn(
  manager: Manager,
  spaceId: string,
  fqdn: string,
  providerId: string | undefined,
) {
  const body = { fqdn, ...(providerId !== undefined && { providerId }) };
  return (await manager.createFqdn({ params: { id: spaceId }, body })).body.id;
}

export async function sign(
  manager: Manager,
  params: { readonly spaceId: string; readonly fqdnId: string },
  providerId: string | undefined,
) {
  if (providerId !== undefined) {
    const request = { params, query: { wait: '120' }, body: { providerId } };
    const { success, message, certificate } = (await manager.signCsr(request)).body;
    return { success, message, pem: certificate };
  }
  // A person gave the command, so an existing valid certificate is no reason to ask for confirmation.
  const request = { params, query: { wait: '120' }, body: { confirmed: true } };
  const { success, message, certificate } = (await manager.requestCertificate(request)).body;
  return { success, message, pem: certificate?.pem };
}

/** Host name that a CSR asks for: its first DNS name, else its common name. Throws UsageError. */
export function hostnameOf(csr: Csr): string {
  const { dnsNames, commonNames } = describeCsr(csr);
  const name = dnsNames[0] ?? commonNames[0];
  if (name === undefined) throw new UsageError('the CSR contains no host name');
  return name.toLowerCase();
}

function fileNameOf(fqdn: string): string {
  return `${fqdn.replace('*', '_')}.pem`;
}
