import { mkdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { csrLabels, parseCsr, parsePem } from '@certloop/crypto';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findProvider, findSpace } from '../../lookup.js';
import { expiryDay } from './certificate-end.js';
import {
  addFqdn,
  type Batch,
  deliver,
  findFitting,
  hostnameOf,
  type IssueOptions,
  type Outcome,
  outcomeOf,
  resultOf,
  sign,
  uploadCsr,
} from './issue-steps.js';

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
    .option(
      '--deploy-hook <command>',
      'command of the shell to run after each new file of --out-dir, with CERTLOOP_FQDN and CERTLOOP_CERTIFICATE (its path)',
    )
    .action((files, options) => issueAll(open(), files, options));
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
  if (options.deployHook !== undefined && options.outDir === undefined)
    throw new UsageError('--deploy-hook needs --out-dir: it runs after files were written');
  const { manager } = session;
  const { id: spaceId } = await findSpace(manager, options.space);
  const providerId =
    options.provider === undefined ? undefined : (await findProvider(manager, options.provider)).id;
  if (options.outDir !== undefined && options.dryRun !== true)
    await mkdir(options.outDir, { recursive: true });
  const fqdns = (await manager.listFqdns({ params: { id: spaceId } })).body;
  const known = new Map(fqdns.map(({ fqdn, id }) => [fqdn, id]));
  return { io: session.io, manager, options, spaceId, providerId, known };
}

async function issueOne(batch: Batch, file: string): Promise<Omit<Outcome, 'file'>> {
  const { manager, options, spaceId, providerId, known } = batch;
  const pem = await batch.io.readText(file);
  const csr = parseCsr(parsePem(pem, csrLabels));
  const fqdn = hostnameOf(csr);
  const found = known.get(fqdn);
  const fitting =
    options.ifNeeded === true && found !== undefined
      ? await findFitting(manager, { spaceId, fqdnId: found }, csr)
      : undefined;
  if (fitting !== undefined) {
    const message = `the certificate until ${expiryDay(fitting)} fits and is not due`;
    return { fqdn, success: true, changed: false, message, ...(await deliver(batch, fqdn, fitting.pem)) };
  }
  const upload = { spaceId, fqdn, name: basename(file), pem };
  if (options.dryRun === true) {
    if (found !== undefined) await uploadCsr(manager, { ...upload, fqdnId: found }, { dryRun: 'true' });
    const message = found === undefined ? 'the FQDN would be added' : 'the CSR would be stored';
    return { fqdn, success: true, changed: true, message };
  }
  const fqdnId = found ?? (await addFqdn(manager, spaceId, fqdn, providerId));
  known.set(fqdn, fqdnId);
  const place = { spaceId, fqdnId };
  await uploadCsr(manager, { ...upload, fqdnId }, {});
  const signed = await sign(manager, place, providerId);
  if (!signed.success) return { fqdn, success: false, changed: false, message: signed.message };
  if (options.renew === true)
    await manager.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
  const { message } = signed;
  return { fqdn, success: true, changed: true, message, ...(await deliver(batch, fqdn, signed.pem)) };
}
