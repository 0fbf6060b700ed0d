import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { readCredentials } from '../../connection/connection.js';
import {
  type Context,
  type Contexts,
  requireContext,
  requireContextName,
  withContext,
  withoutContext,
  withoutPassword,
} from '../../connection/contexts.js';
import { changeContexts, readContexts } from '../../connection/contexts.store.js';
import type { Session } from '../../connection/session.js';
import { requireAddress } from '../../connection/sign-in.js';
import { UsageError } from '../../faults/command-errors.js';

interface Settings {
  /** False for none. */
  readonly defaultSpace?: string | false;
  readonly project?: string | false;
  readonly caUrl?: string | false;
}

/** A context without what lets one in. */
export function contextView({ current }: Contexts, name: string, context: Context) {
  const { certManager, checkMonitor, dummyCa, space, project } = context;
  return {
    name,
    current: name === current,
    ...(certManager && { certManager: { url: certManager.url, username: certManager.username } }),
    ...(checkMonitor && { checkMonitor: { url: checkMonitor.url, email: checkMonitor.email } }),
    ...(dummyCa && { dummyCa }),
    ...(space !== undefined && { space }),
    ...(project !== undefined && { project }),
  };
}

export const contextRowOf = ({
  name,
  current,
  certManager,
  checkMonitor,
  dummyCa,
  space,
  project,
}: ReturnType<typeof contextView>) => ({
  name,
  current: current ? 'yes' : '',
  'cert-manager': certManager?.url ?? '',
  username: certManager?.username ?? '',
  space: space ?? '',
  'check-monitor': checkMonitor?.url ?? '',
  project: project ?? '',
  'dummy-ca': dummyCa?.url ?? '',
});

export function addContextChanges(contexts: Command, open: () => Session): void {
  contexts
    .command('create <name>')
    .description('Create a context; certloop login --context NAME creates one and logs in')
    .option('--default-space <space>', 'space for commands without --space')
    .option('--project <project>', 'project for commands without --project')
    .option('--ca-url <url>', 'address of dummy-ca')
    .option(
      '--credentials <file>',
      'take log-ins from a file such as data/credentials.json of npm start; - is standard input',
    )
    .option('--if-not-exists', 'succeed if a context with that name exists')
    .action((name, options) => createContext(open(), name, options));
  contexts
    .command('update <context>')
    .description('Change a context; settings without an option stay unchanged')
    .option('--name <name>', 'its new name')
    .option('--default-space <space>', 'space for commands without --space')
    .option('--no-default-space', 'remove the default space')
    .option('--project <project>', 'project for commands without --project')
    .option('--no-project', 'remove the default project')
    .option('--ca-url <url>', 'address of dummy-ca')
    .option('--no-ca-url', 'remove the address of dummy-ca')
    .action((name, change) => updateContext(open(), name, change));
  contexts
    .command('delete <context>')
    .description('Delete a context; its token and key stay valid unless certloop logout revoked them before')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (name, { yes }) => {
      const { io, report } = open();
      const { certManager, checkMonitor } = requireContext(await readContexts(io.env), name);
      const hasLogin = certManager !== undefined || checkMonitor !== undefined;
      const login = `, and its log-in would stay valid: certloop logout --context ${name} ends it first`;
      await confirm(io, yes, `context ${name} would be deleted${hasLogin ? login : ''}`);
      await changeContexts(io.env, (all) => withoutContext(all, name));
      report.done(`context ${name} is deleted`, { name });
    });
}

interface NewContext extends Settings {
  readonly credentials?: string;
  readonly ifNotExists?: true;
}

async function createContext(session: Session, name: string, options: NewContext): Promise<void> {
  const { io, report } = session;
  requireContextName(name);
  const { credentials: file } = options;
  const connection =
    file === undefined ? {} : withoutPassword(await readCredentials(io.readText, file, '--credentials'));
  let isNew = true;
  const changed = await changeContexts(io.env, (all) => {
    isNew = !Object.hasOwn(all.contexts, name);
    if (!isNew && options.ifNotExists !== true)
      throw new UsageError(
        `the context ${name} already exists: use it with --if-not-exists, or change it with certloop contexts update`,
      );
    return isNew ? withContext(all, name, applied(connection, options)) : all;
  });
  if (!isNew) session.unchanged();
  report.thing(contextView(changed, name, requireContext(changed, name)), contextRowOf);
}

async function updateContext(
  { io, report }: Session,
  name: string,
  { name: newName = name, ...change }: Settings & { readonly name?: string },
): Promise<void> {
  if (newName === name && Object.keys(change).length === 0)
    throw new UsageError('name what is to change: --name, --default-space, --project or --ca-url');
  requireContextName(newName);
  const changed = await changeContexts(io.env, (all) => {
    const context = applied(requireContext(all, name), change);
    if (newName === name) return withContext(all, name, context);
    if (Object.hasOwn(all.contexts, newName)) throw new UsageError(`the context ${newName} already exists`);
    const renamed = withContext(withoutContext(all, name), newName, context);
    return { ...renamed, current: all.current === name ? newName : all.current };
  });
  report.thing(contextView(changed, newName, requireContext(changed, newName)), contextRowOf);
}

function applied(context: Context, { defaultSpace, project, caUrl }: Settings): Context {
  if (typeof caUrl === 'string') requireAddress(caUrl);
  const { space: _space, project: _project, dummyCa: _ca, ...rest } = context;
  const space = defaultSpace ?? context.space;
  const chosen = project ?? context.project;
  const dummyCa = typeof caUrl === 'string' ? { url: caUrl } : caUrl === false ? undefined : context.dummyCa;
  return {
    ...rest,
    ...(dummyCa && { dummyCa }),
    ...(typeof space === 'string' && { space }),
    ...(typeof chosen === 'string' && { project: chosen }),
  };
}
