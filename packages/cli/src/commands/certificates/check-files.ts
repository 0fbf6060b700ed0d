import { createPublicKey } from 'node:crypto';
import {
  type Certificate,
  certificateLabel,
  importPrivateKey,
  parseCertificate,
  parsePemBlocks,
} from '@certloop/crypto';
import { parseHost } from '@certloop/tls-probe';
import type { Command } from '@commander-js/extra-typings';
import { judgeChain, judgeDates, judgeName, judgePair } from '../../certificates/judge-files.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { describeFault } from '../../faults/system-fault.js';

interface FileOptions {
  readonly cert: string;
  readonly key?: string;
  readonly chain?: string;
  readonly name?: readonly string[];
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
