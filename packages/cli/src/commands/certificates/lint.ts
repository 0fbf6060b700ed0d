import { type CsrFinding, type CsrProfile, type CsrVerdict, csrProfiles } from '@certloop/contracts';
import { lintCsrText, readHostname } from '@certloop/crypto';
import { type Command, Option } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { describeFault } from '../../faults/system-fault.js';
import { findingText } from '../../output/finding-text.js';

interface LintOptions {
  readonly fqdn?: string;
  readonly profile: CsrProfile;
  readonly key?: string;
  readonly strict?: true;
}

/** Adds `lint`. */
export function addLint(program: Command, open: () => Session, ended: (code: number) => void): void {
  program
    .command('lint <file>')
    .description(
      'Find the faults of a CSR and the commands that repair them, on this machine, offline; exit code 1 if a CA would refuse it; - is standard input',
    )
    .option('--fqdn <fqdn>', 'host name that the CSR is for')
    .addOption(
      new Option('--profile <profile>', 'CA that the CSR is for')
        .choices(csrProfiles)
        .default('public' as const),
    )
    .option('--key <name>', 'file of its private key, which the commands name; it is not read')
    .option('--strict', 'exit code 1 for warnings too')
    .action(async (file, options) => {
      const verdict = await lintFile(open(), file, options);
      if (verdict === 'refused' || (verdict === 'warnings' && options.strict === true)) ended(1);
    });
}

async function lintFile(session: Session, file: string, options: LintOptions): Promise<CsrVerdict> {
  const { fqdn, profile, key: keyFile } = options;
  const rules = { profile, keyFile, fqdn: fqdn === undefined ? undefined : hostnameOf(fqdn) };
  const text = await readCsrText(session, file);
  const csrFile = file === '-' ? undefined : file;
  const { verdict, findings } = await lintCsrText(text, { ...rules, csrFile });
  session.report.text(verdictText(verdict, findings), { verdict, findings });
  return verdict;
}

function hostnameOf(text: string): string {
  const { hostname, fault } = readHostname(text);
  if (hostname === undefined) throw new UsageError(`--fqdn: ${fault}`);
  return hostname;
}

/** A file that cannot be read was not understood. */
async function readCsrText({ io }: Session, file: string): Promise<string> {
  try {
    return await io.readText(file);
  } catch (error) {
    throw new UsageError(describeFault(error, file));
  }
}

const verdicts = {
  ok: 'A CA would accept this CSR.',
  warnings: 'A CA would accept this CSR, with warnings.',
  refused: 'A CA would refuse this CSR.',
} as const;

function verdictText(verdict: CsrVerdict, findings: readonly CsrFinding[]): string {
  return `${verdicts[verdict]}\n${findingText(findings)}`;
}
