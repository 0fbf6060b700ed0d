import { Command, type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { addAcmeClients } from './commands/acme-clients/acme-clients.js';
import { addAdmin } from './commands/admin.js';
import { addCa } from './commands/ca.js';
import { addCertificates } from './commands/certificates/certificates.js';
import { addCheckFiles } from './commands/certificates/check-files.js';
import { addCsrs } from './commands/certificates/csrs.js';
import { addDeployHook } from './commands/certificates/deploy-hook.js';
import { addImport } from './commands/certificates/import.js';
import { addIssuanceJobs } from './commands/certificates/issuance-jobs.js';
import { addIssue } from './commands/certificates/issue.js';
import { addLint } from './commands/certificates/lint.js';
import { addPull } from './commands/certificates/pull.js';
import { addFlips, addPings } from './commands/checks/check-history.js';
import { addChecks } from './commands/checks/checks.js';
import { addIntegrations } from './commands/checks/integrations.js';
import { addJobs } from './commands/checks/jobs.js';
import { addProjects } from './commands/checks/projects.js';
import { addCompletion } from './commands/completion/completion.js';
import { addFqdns } from './commands/fqdns/fqdns.js';
import { addReadiness } from './commands/fqdns/readiness.js';
import { addRenewals } from './commands/fqdns/renewals.js';
import { addInstall } from './commands/install.js';
import { addInventory } from './commands/inventory.js';
import { addContexts } from './commands/login/contexts.js';
import { addLogin } from './commands/login/login.js';
import { addLogout } from './commands/login/logout.js';
import { addWhoami } from './commands/login/whoami.js';
import { addAudit } from './commands/people/audit.js';
import { addGroups } from './commands/people/groups.js';
import { addSessions } from './commands/people/sessions.js';
import { addTokens } from './commands/people/tokens.js';
import { addUsers } from './commands/people/users.js';
import { addProviders } from './commands/providers.js';
import { addSpaces } from './commands/spaces.js';
import { addStatus } from './commands/status.js';
import { addProbe } from './commands/targets/probe.js';
import { addTargets } from './commands/targets/targets.js';
import { addWatch } from './commands/targets/watch.js';
import { readConnection } from './connection/connection.js';
import { addContextDefaults } from './connection/context-defaults.js';
import { timeoutMs } from './connection/fetch.js';
import { openSession, type Session, type SessionSettings } from './connection/session.js';
import { UsageError } from './faults/command-errors.js';
import type { Io } from './io.js';
import { duration } from './numbers.js';
import { type Format, formatNames, parseFormat } from './output/format.js';
import { environment } from './reference/environment.js';
import { formatExamples } from './reference/examples.js';
import { version } from './version.js';

/** Whether errors are JSON too: with `-o json`, before the options are parsed, which may be what fails. */
export function wantsJsonErrors(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return /(^|\n)(-o\n?json|--output[=\n]json)(\n|$)/.test(own.join('\n'));
}

/** A sentence of commander, as every other one. */
export function oneLine(text: string): string {
  return `${text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')} (see --help)`;
}

/** Exit code of --exit-code when nothing had to be changed. */
const unchangedCode = 3;

interface GlobalOptions {
  readonly output: Format;
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly exitCode?: true;
  readonly context?: string;
  readonly requestTimeout?: number;
}

function settingsOf(
  { output, json, quiet, verbose, exitCode, context, requestTimeout }: GlobalOptions,
  ended: (code: number) => void,
): SessionSettings {
  return {
    format: json === true ? { kind: 'json' } : output,
    isQuiet: quiet === true,
    isVerbose: verbose === true,
    context,
    limitMs: requestTimeout === undefined ? undefined : requestTimeout * 1_000,
    unchanged: () => {
      if (exitCode === true) ended(unchangedCode);
    },
  };
}

/** All commands; `ended` gets the exit code of a command that has one of its own. */
export function createProgram(
  args: readonly string[],
  io: Io,
  ended: (code: number) => void,
): CommandUnknownOpts {
  const program = rootCommand(args, io);
  const open = () => openSession(io, settingsOf(program.opts(), ended));
  addSignIn(program, open);
  addCertificateCommands(program, open, ended);
  addMonitorCommands(program, open, ended);
  addPeople(program, open);
  program.commandsGroup('Services and this program:');
  addStatus(program, open);
  addReadiness(program, open, ended);
  addAdmin(program, open, { args, ended });
  addCa(program, open);
  addInstall(program, open);
  addCompletion(program, io);
  program.helpCommand('help [command]', 'show the help of a command');
  limitSetupFormats(program, () => program.opts().output);
  addContextDefaults(program, () => readConnection(io, program.opts().context));
  for (const command of program.commands) {
    command.hook('preSubcommand', refuseUnknownVerb);
    addExamples(command, command.name());
  }
  return program;
}

type Open = () => Session;
type Ended = (code: number) => void;

function addSignIn(program: Command, open: Open): void {
  program.commandsGroup('Log in:');
  addLogin(program, open);
  addLogout(program, open);
  addWhoami(program, open);
  addContexts(program, open);
}

function addCertificateCommands(program: Command, open: Open, ended: Ended): void {
  program.commandsGroup('Certificates:');
  addIssue(program, open);
  addSpaces(program, open);
  addFqdns(program, open);
  addCertificates(program, open);
  addCsrs(program, open);
  addIssuanceJobs(program, open);
  addRenewals(program, open);
  addProviders(program, open);
  program.commandsGroup('What servers serve:');
  addWatch(program, open, ended);
  addTargets(program, open);
  addInventory(program, open);
  addProbe(program, open, ended);
  addCheckFiles(program, open, ended);
  addLint(program, open, ended);
  addImport(program, open);
  addPull(program, open);
  addDeployHook(program, open);
}

function addMonitorCommands(program: Command, open: Open, ended: Ended): void {
  program.commandsGroup('Jobs and alerts:');
  addJobs(program, open, ended);
  addChecks(program, open);
  addPings(program, open);
  addFlips(program, open);
  addIntegrations(program, open);
  addProjects(program, open);
}

function addPeople(program: Command, open: Open): void {
  program.commandsGroup('People and machines:');
  addUsers(program, open);
  addGroups(program, open);
  addTokens(program, open);
  addAcmeClients(program, open);
  addSessions(program, open);
  addAudit(program, open);
}

/** Throws UsageError where `-o certbot` and so on stand at another command than those that show a key. */
function limitSetupFormats(program: CommandUnknownOpts, formatOf: () => Format): void {
  program.hook('preAction', (_program, command) => {
    const format = formatOf();
    const isKeyShown =
      ['create', 'rekey'].includes(command.name()) && command.parent?.name() === 'acme-clients';
    if (format.kind === 'setup' && !isKeyShown)
      throw new UsageError(`-o ${format.tool} is for acme-clients create and acme-clients rekey`);
  });
}

/** The command without its nouns: what it is, and the options of all its commands. */
function rootCommand(args: readonly string[], io: Io) {
  return new Command('certloop')
    .description('Certificates that never expire unnoticed, from the command line')
    .version(version, '--version', 'print the version')
    .addOption(
      new Option('-o, --output <format>', `format of the output: ${formatNames.join(', ')}`)
        .argParser(parseFormat)
        .default({ kind: 'table' }, 'table'),
    )
    .option('--context <context>', 'name of the stored log-in to use; certloop contexts lists them')
    .option('--json', 'as -o json, but errors are printed as sentences')
    .option('-q, --quiet', 'print only results: no sentences, warnings or progress')
    .option('--exit-code', 'exit with 3 if nothing had to be changed')
    .option(
      '--request-timeout <duration>',
      'how long to wait for a response of a service: seconds, or 2m; default: 10 s for check-monitor, 40 s for reads of the others, else 150 s',
      duration('--request-timeout', 's', 1, timeoutMs / 1_000),
    )
    .option('-v, --verbose', 'print each call of a service on standard error')
    .addHelpText('after', `\n${environment}`)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.out.write(text),
      writeErr: (text) => void io.err.write(text),
      outputError: (text, write) => {
        if (!wantsJsonErrors(args)) write(`certloop: ${oneLine(text)}\n`);
      },
    });
}

/** A noun without a verb lists, so that a mistyped verb would be an argument that `list` does not take. */
function refuseUnknownVerb(noun: CommandUnknownOpts, chosen: CommandUnknownOpts): void {
  const [word = '-'] = noun.args;
  const isVerb = noun.commands.some((verb) => verb.name() === word || verb.aliases().includes(word));
  if (isVerb || word.startsWith('-') || chosen.registeredArguments.length > 0) return;
  const verbs = noun.commands.map((verb) => verb.name()).join(', ');
  throw new UsageError(
    `${noun.name()} has no command ${word}; its commands are ${verbs}; see certloop ${noun.name()} --help`,
  );
}

/** Shows the examples of a command, and of those below it, in their help. */
function addExamples(command: CommandUnknownOpts, path: string): void {
  const shown = formatExamples(path);
  if (shown !== '') command.addHelpText('after', shown);
  for (const each of command.commands) addExamples(each, `${path} ${each.name()}`);
}
