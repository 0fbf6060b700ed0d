import { tokenScopes } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { readCredentials } from '../../connection/connection.js';
import {
  type Connection,
  type Context,
  type Contexts,
  requireContextName,
  withContext,
  withoutPassword,
} from '../../connection/contexts.js';
import {
  changeContexts,
  contextsFile,
  prepareFolder,
  readContexts,
} from '../../connection/contexts.store.js';
import { managerAt, type Session } from '../../connection/session.js';
import { Interrupted, UsageError } from '../../faults/command-errors.js';
import { findSpace } from '../../lookup.js';
import { type ManagerLogin, openManager } from './manager-login.js';
import { type MonitorLogin, openMonitor } from './monitor-login.js';

interface LoginOptions extends ManagerLogin, MonitorLogin {
  readonly caUrl?: string;
  readonly credentials?: string;
  readonly space?: string;
}

/** Adds `login`. */
export function addLogin(program: Command, open: () => Session): void {
  program
    .command('login')
    .description(
      'Log in to cert-manager, check-monitor or both, and store the log-in as a context for later calls',
    )
    .option('--url <url>', 'address of cert-manager')
    .option(
      '--username <name>',
      'your user in cert-manager; the command asks for the password, or reads it from a pipe',
    )
    .option(
      '--password-file <file>',
      'file whose first line is the password of --username; - is standard input',
    )
    .option('--token-file <file>', 'file with an API token, instead of a password; - is standard input')
    .addOption(
      new Option('--scope <scope>', 'what the created API token may do')
        .choices(tokenScopes)
        .default('READ_WRITE'),
    )
    .option('--monitor-url <url>', 'address of check-monitor')
    .option(
      '--email <address>',
      'your user in check-monitor; the command asks for the password, after the one of cert-manager',
    )
    .option(
      '--monitor-password-file <file>',
      'file whose first line is the password of --email; - is standard input',
    )
    .option(
      '--key-file <file>',
      "file with a project's read-write key, instead of a password; - is standard input",
    )
    .option('--project <project>', 'project of check-monitor, by name or id; not needed if you have only one')
    .option('--ca-url <url>', 'address of dummy-ca')
    .option(
      '--credentials <file>',
      'file with all of these, such as data/credentials.json of npm start; - is standard input',
    )
    .option('--default-space <space>', 'space for commands without --space')
    .option('-y, --yes', 'replace an existing read-write key of the project; without it, the command asks')
    .action(({ defaultSpace: space, ...options }) =>
      login(open(), { ...options, ...(space !== undefined && { space }) }),
    );
}

/**
 * Logs in to all services that are named or to none: what was created is revoked if a later step fails, or after Ctrl-C,
 * which is obeyed between the calls of the services. A second Ctrl-C ends the command at once.
 */
async function login(session: Session, options: LoginOptions): Promise<void> {
  const { io } = session;
  const { env } = io;
  requireService(options);
  await prepareFolder(env);
  const contexts = await readContexts(env);
  const name = contextName(session, contexts);
  const before = Object.hasOwn(contexts.contexts, name) ? contexts.contexts[name] : undefined;
  const given =
    options.credentials === undefined
      ? {}
      : withoutPassword(await readCredentials(io.readText, options.credentials, '--credentials'));
  const undo: (() => Promise<void>)[] = [];
  const stop = listenForStop(io);
  try {
    const opened = await openServices(session, options, before, (each) => {
      undo.push(each);
      stop.throwIfHeard();
    });
    const added = contextOf({ ...given, ...opened }, options);
    await requireSpace(session, added);
    stop.throwIfHeard();
    await changeContexts(env, (now) => ({
      ...withContext(now, name, { ...now.contexts[name], ...added }),
      current: name,
    }));
    report(session, name, added);
    await revokeReplaced(session, before, added);
  } catch (error) {
    for (const each of undo.reverse()) await each();
    throw error;
  } finally {
    stop.release();
  }
}

/** Holds back the first signal that asks the command to end, until `throwIfHeard` throws Interrupted. */
function listenForStop(io: Session['io']) {
  let heard: NodeJS.Signals | undefined;
  const release = io.onSignal((signal) => {
    heard = signal;
    release();
  });
  const throwIfHeard = () => {
    if (heard !== undefined) throw new Interrupted(heard);
  };
  return { throwIfHeard, release };
}

/** The context that is named, or the current one. */
export function contextName({ context, io }: Session, { current }: Contexts): string {
  const name = context ?? (io.env['CERTLOOP_CONTEXT'] || current);
  requireContextName(name);
  return name;
}

function requireService({ url, monitorUrl, caUrl, credentials, ...options }: LoginOptions): void {
  if ([url, monitorUrl, caUrl, credentials].every((each) => each === undefined))
    throw new UsageError(
      'name a service: --url with --username, --monitor-url with --email, or a file with all of these with --credentials',
    );
  if (url === undefined && (options.username ?? options.tokenFile) !== undefined)
    throw new UsageError('--username and --token-file require --url, the address of cert-manager');
  if (monitorUrl === undefined && (options.email ?? options.keyFile) !== undefined)
    throw new UsageError('--email and --key-file require --monitor-url, the address of check-monitor');
}

async function openServices(
  session: Session,
  options: LoginOptions,
  before: Context | undefined,
  created: (undo: () => Promise<void>) => void,
): Promise<Connection> {
  const { url, monitorUrl } = options;
  const certManager = url === undefined ? undefined : await openManager(session, url, options);
  if (certManager !== undefined) created(certManager.undo);
  const checkMonitor =
    monitorUrl === undefined
      ? undefined
      : await openMonitor(session, monitorUrl, options, before?.checkMonitor);
  if (checkMonitor !== undefined) created(checkMonitor.undo);
  return {
    ...(certManager && { certManager: certManager.value }),
    ...(checkMonitor && { checkMonitor: checkMonitor.value.connection }),
    ...(checkMonitor && { project: checkMonitor.value.project }),
  };
}

function contextOf(connection: Context, { caUrl, space, project }: LoginOptions): Context {
  return {
    ...(project !== undefined && { project }),
    ...connection,
    ...(caUrl !== undefined && { dummyCa: { url: caUrl } }),
    ...(space !== undefined && { space }),
  };
}

async function requireSpace(session: Session, { space, certManager }: Context): Promise<void> {
  if (space === undefined || certManager === undefined) return;
  await findSpace(managerAt(certManager.url, certManager.token, session.fetchFrom('cert-manager')), space);
}

/** Revokes the token that the context had before; log-in created it, so no other program has it. */
async function revokeReplaced(session: Session, before: Context | undefined, added: Context): Promise<void> {
  const former = before?.certManager;
  if (former?.tokenId === undefined || added.certManager === undefined) return;
  const manager = managerAt(former.url, former.token, session.fetchFrom('cert-manager'));
  await manager.deleteOwnApiToken().catch((error: Error) => {
    session.report.warn(`the earlier token at ${former.url} stays until it expires: ${error.message}`);
  });
}

function report({ report: to, io }: Session, context: string, added: Context): void {
  const { certManager, checkMonitor, dummyCa, project } = added;
  const places = [
    certManager && `to ${certManager.url} as ${certManager.username ?? 'the holder of the token'}`,
    checkMonitor && `to ${checkMonitor.url} with a key of the project ${project ?? 'that it belongs to'}`,
    dummyCa && `dummy-ca at ${dummyCa.url}`,
  ].filter((place) => place !== undefined);
  to.done(`logged in ${places.join('; ')}; stored as context ${context} in ${contextsFile(io.env)}`, {
    context,
    ...(certManager && { certManager: { url: certManager.url, username: certManager.username } }),
    ...(checkMonitor && { checkMonitor: { url: checkMonitor.url, email: checkMonitor.email, project } }),
    ...(dummyCa && { dummyCa }),
  });
}
