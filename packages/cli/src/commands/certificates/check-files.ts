import { createPublicKey } from 'node:crypto';
import {
  type Certificate,
  certificateLabel,
  checkChain,
  importPrivateKey,
  isIssuedBy,
  isWithinValidity,
  parseCertificate,
  parsePemBlocks,
  publicKeysEqual,
} from '@certloop/crypto';
import { coversName, parseHost } from '@certloop/tls-probe';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { describeFault } from '../../faults/system-fault.js';

interface FileOptions {
  readonly cert: string;
  readonly key?: string;
  readonly chain?: string;
  readonly name?: readonly string[];
}

interface Finding {
  readonly check: 'dates' | 'pair' | 'chain' | 'name';
  readonly well: boolean;
  readonly message: string;
}

/** Adds `check-files`. */
export function addCheckFiles(program: Command, open: () => Session, ended: (code: number) => void): void {
  program
    .command('check-files')
    .description(
      'Check a certificate and its key and chain on this machine, offline; exit code 1 for a fault',
    )
    .requiredOption('--cert <file>', 'PEM file of the certificate; it may contain the chain')
    .option('--key <file>', 'PEM file of the private key, which never leaves this machine')
    .option('--chain <file>', 'PEM file of the intermediates')
    .option('--name <name>', 'name that the certificate must cover; may be repeated', collect)
    .action(async (options) => {
      if (!(await checkFiles(open(), options, new Date()))) ended(1);
    });
}

const collect = (name: string, names: readonly string[] = []) => [...names, name];

/** Whether all that was asked for is well. */
async function checkFiles(session: Session, options: FileOptions, now: Date): Promise<boolean> {
  const [leaf, ...others] = await readCertificates(session, '--cert', options.cert);
  if (leaf === undefined) throw new UsageError(`--cert: ${options.cert} contains no certificate`);
  const chain = [
    ...others,
    ...(options.chain === undefined ? [] : await readCertificates(session, '--chain', options.chain)),
  ];
  const names = (options.name ?? []).map((name) => understood(() => parseHost(name), '--name: '));
  const findings = [judgeDates([leaf, ...chain], now)];
  if (options.key !== undefined) findings.push(judgePair(leaf, await readKey(session, options.key)));
  if (chain.length > 0) findings.push(judgeChain(leaf, chain, now));
  for (const name of names) findings.push(judgeName(leaf, name));
  session.report.list(findings, ({ check, well, message }) => ({
    check,
    result: well ? 'well' : 'fault',
    message,
  }));
  return findings.every(({ well }) => well);
}

function judgeDates(certificates: readonly Certificate[], now: Date): Finding {
  const [leaf] = certificates;
  const fault = certificates.find((certificate) => !isWithinValidity(certificate, now));
  const shown = fault ?? leaf;
  const dates = `serial ${shown?.serialNumber}: ${shown?.notBefore.toISOString()} to ${shown?.notAfter.toISOString()}`;
  return { check: 'dates', well: fault === undefined, message: dates };
}

function judgePair(leaf: Certificate, spkiDer: Buffer): Finding {
  const well = publicKeysEqual(leaf.spkiDer, spkiDer);
  const message = well
    ? 'the key belongs to the certificate'
    : 'the key is another one: use that of the CSR that the certificate was issued for';
  return { check: 'pair', well, message };
}

/** The chain leads upwards from the leaf to its last certificate; whether that is trusted is for clients to say. */
function judgeChain(leaf: Certificate, chain: readonly Certificate[], now: Date): Finding {
  const tops = chain.filter(
    (one) => !chain.some((other) => other !== one && isIssuedBy(one, other)) || isIssuedBy(one, one),
  );
  const checked = checkChain(leaf, chain, tops, now);
  const message = checked.ok
    ? 'the chain leads upwards from the certificate'
    : `${checked.reason}: add the missing intermediate`;
  return { check: 'chain', well: checked.ok, message };
}

function judgeName(leaf: Certificate, name: string): Finding {
  const well = coversName(leaf, name);
  return { check: 'name', well, message: well ? `${name} is covered` : `${name} is not covered` };
}

async function readKey(session: Session, file: string): Promise<Buffer> {
  const text = await readFile(session, '--key', file);
  const key = understood(() => importPrivateKey(text), `--key: ${file}: `);
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

async function readCertificates(session: Session, option: string, file: string): Promise<Certificate[]> {
  const text = await readFile(session, option, file);
  return understood(
    () =>
      parsePemBlocks(text)
        .filter(({ label }) => label === certificateLabel)
        .map(({ der }) => parseCertificate(der)),
    `${option}: ${file}: `,
  );
}

/** A file that cannot be read was not understood. */
async function readFile({ io }: Session, option: string, file: string): Promise<string> {
  try {
    return await io.readText(file);
  } catch (error) {
    throw new UsageError(`${option}: ${describeFault(error, file)}`);
  }
}

function understood<T>(read: () => T, context: string): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${context}${(error as Error).message}`);
  }
}
