import {
  type Certificate,
  exportSpki,
  importPrivateKey,
  parseCertificate,
  splitChain,
} from '@certloop/crypto';
import type { Command } from '@commander-js/extra-typings';
import { judgeChain, judgeDates, judgeName, judgePair } from '../../certificates/judge-files.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { activateServer } from '../../machine/activate.js';
import { parseVerify } from '../../machine/check-served.js';
import { parseHook } from '../../machine/hook-words.js';
import type { ServerHooks } from '../../machine/machine.js';
import { type RenewedFiles, renewedFiles } from '../../machine/renewed-files.js';
import { hookHelp } from './pull.js';

/** Adds `deploy-hook`. */
export function addDeployHook(program: Command, open: () => Session): void {
  program
    .command('deploy-hook')
    .description(
      'As a deploy hook of certbot or lego: check the renewed files, reload the server, and check what it serves',
    )
    .option('--test <command>', hookHelp.test, parseHook)
    .option('--reload <command>', hookHelp.reload, parseHook)
    .option('--verify <place>', hookHelp.verify, parseVerify)
    .action((hooks) => deployRenewed(open(), hooks, new Date()));
}

/** Throws for files that do not fit each other, and for a server that does not take them: they stay as they are. */
async function deployRenewed({ io, report }: Session, hooks: ServerHooks, now: Date): Promise<void> {
  const files = renewedFiles(io.env);
  if (files === undefined)
    throw new UsageError(
      'neither RENEWED_LINEAGE (certbot) nor LEGO_CERT_PATH and LEGO_CERT_KEY_PATH (lego) is set: run this as their deploy hook',
    );
  const [leaf, ...chain] = splitChain(await io.readText(files.certificate)).map(parseCertificate);
  if (leaf === undefined) throw new UsageError(`${files.certificate} contains no certificate`);
  const key = importPrivateKey(await io.readText(files.key));
  requireFit(files, [leaf, ...chain], exportSpki(key), now);
  const [fqdn = leaf.subjectAltNames.dnsNames[0] ?? ''] = files.names;
  await activateServer({ io, fqdn, dir: files.dir, ...hooks }, { leaf });
  const shown = { fqdn, serial: leaf.serialNumber, notAfter: leaf.notAfter.toISOString() };
  report.done(`${fqdn}: serial ${shown.serial} is in service, ends ${shown.notAfter}`, shown);
}

/** Throws UsageError with the first fault. */
function requireFit(
  { names, certificate }: RenewedFiles,
  [leaf, ...chain]: readonly [Certificate, ...Certificate[]],
  spkiDer: Buffer,
  now: Date,
): void {
  const findings = [
    judgeDates([leaf, ...chain], now),
    judgePair(leaf, spkiDer),
    ...(chain.length === 0 ? [] : [judgeChain(leaf, chain, now)]),
    ...names.map((name) => judgeName(leaf, name.replace(/^\*/, 'certloop'))),
  ];
  const fault = findings.find(({ well }) => !well);
  if (fault !== undefined)
    throw new Error(
      `${certificate} is not deployed: ${fault.check}: ${fault.message}; the server was not reloaded`,
    );
}
