import { AppError } from '@certloop/contracts';
import { Command, CommanderError } from 'commander';
import { addCa } from './commands/ca.js';
import { addCertificates } from './commands/certificates.js';
import { addCheckFiles } from './commands/check-files.js';
import { addChecks } from './commands/checks.js';
import { addFqdns } from './commands/fqdns.js';
import { addInstall } from './commands/install.js';
import { addIntegrations } from './commands/integrations.js';
import { addIssue } from './commands/issue.js';
import { addJobs } from './commands/jobs.js';
import { addLogin } from './commands/login.js';
import { addProbe } from './commands/probe.js';
import { addProviders } from './commands/providers.js';
import { addRenewals } from './commands/renewals.js';
import { addSpaces } from './commands/spaces.js';
import { addStatus } from './commands/status.js';
import type { Io } from './io.js';
import { openSession } from './session.js';
import { UsageError } from './usage-error.js';
import { version } from './version.js';

const environment = `
Environment, which wins over a stored log-in:
  CERTLOOP_URL, CERTLOOP_TOKEN                address of cert-manager, and an API token of yours
  CERTLOOP_MONITOR_URL, CERTLOOP_MONITOR_KEY  address of check-monitor, and a project's read-write key
  CERTLOOP_CA_URL                             address of dummy-ca
  CERTLOOP_CREDENTIALS                        file of all, such as data/credentials.json of npm start

Exit codes: 0 done, 1 refused or failed, 2 not understood.
`;

/** Runs one command line; resolves to the exit code, having said on standard error what went wrong. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  const program = createProgram(io, (ended) => {
    code = ended;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Error)) throw error;
    io.err.write(`certloop: ${error.message}\n`);
    if (!(error instanceof AppError || error instanceof UsageError)) return unexpected(error);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** What the system or a step refused has been said; anything else is a fault of ours, and goes on. */
function unexpected(error: Error): number {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
    throw error;
  return 1;
}

/** What commander says, as every other complaint. */
function oneLine(text: string): string {
  return `${text
    .replace(/^error:/, 'certloop:')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')} (see --help)\n`;
}

function createProgram(io: Io, ended: (code: number) => void): Command {
  const program = new Command('certloop')
    .description('Certificates that never expire unnoticed, from the command line')
    .version(version, '--version', 'print the version')
    .option('--json', 'print what the services said, as JSON')
    .addHelpText('after', environment)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.out.write(text),
      writeErr: (text) => void io.err.write(text),
      outputError: (text, write) => write(oneLine(text)),
    });
  const open = () => openSession(io, program.opts()['json'] === true);
  addLogin(program, open);
  addRenewals(program, open);
  addProviders(program, open);
  addStatus(program, open);
  addSpaces(program, open);
  addFqdns(program, open);
  addIssue(program, open);
  addCertificates(program, open);
  addChecks(program, open);
  addIntegrations(program, open);
  addJobs(program, open, ended);
  addCa(program, open);
  addProbe(program, open, ended);
  addCheckFiles(program, open, ended);
  addInstall(program, open);
  return program;
}
