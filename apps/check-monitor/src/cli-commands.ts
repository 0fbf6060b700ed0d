import { Conflict, keyKinds, NotFound, UpstreamFailed } from '@certloop/contracts';
import { createPasswords } from '@certloop/server';
import { addMember, dropMember, listMembersOf } from './accounts/administer.service.js';
import { setUpService, storeKeyFiles } from './accounts/key-files.store.js';
import { setPassword } from './accounts/passwords.service.js';
import { countAssignedChecks } from './channels/assign-channel.repository.js';
import { listProjectChannels } from './channels/channels.repository.js';
import { createChannel } from './channels/create-channel.service.js';
import { removeChannel } from './channels/manage-channels.service.js';
import { discardUnreadable, rotateKeys } from './channels/seal-stored.service.js';
import {
  channelSettings,
  oneOf,
  readLimits,
  requireOption,
  serviceProjects,
  UsageError,
  type Values,
} from './cli-options.js';
import { importDump } from './imports/import-dump.service.js';
import type { ImportReport } from './imports/import-report.js';
import { describeImport } from './imports/import-text.js';
import { channelKindNames } from './integrations/channel-kinds.js';
import type { Notifier } from './notifications/notifier.service.js';
import { testChannel } from './notifications/test-channel.service.js';
import type { Secrets } from './projects/api-key.js';
import { createProject, issueKey, revokeKey } from './projects/create-project.service.js';
import { type AccountDeps, createUser, limitUser } from './projects/create-user.service.js';
import { listAllProjects } from './projects/projects.repository.js';
import type { Sealing } from './projects/sealing/sealing.store.js';
import { listUsers } from './projects/users.repository.js';

/** Dependencies of commands. */
export interface CommandDeps extends AccountDeps, Secrets {
  /** Opens what messages are sent by; the settings of the service must be set for it. */
  readonly openNotifier: () => Notifier;
  readonly sealing: Sealing;
  /** Standard input to its end: secrets do not stand on command lines, which others can see. */
  readonly readInput: () => string;
}

/** The command that runs with keys that are not those of the database. */
export const discardCommand = 'keys discard';

type Command = (deps: CommandDeps, values: Values) => Promise<object>;

const memberRoles = ['member', 'read-only'] as const;

/** Commands of the command line, by their words. */
export const commands: Readonly<Record<string, Command>> = {
  migrate: async ({ db }) => ({ migrations: await db.migrate() }),
  'user create': async (deps, values) => {
    const { id, email } = await createUser(deps, {
      email: requireOption(values, 'email'),
      ...readLimits(values),
    });
    return { userId: id, email };
  },
  'user limit': async (deps, values) => {
    const { email, checkLimit, pingLimit } = await limitUser(deps, {
      email: requireOption(values, 'email'),
      ...readLimits(values),
    });
    return { email, checkLimit, pingLimit };
  },
  'user password': async (deps, values) => {
    const email = requireOption(values, 'email');
    const [password = ''] = deps.readInput().split(/\r?\n/);
    await setPassword({ ...deps, passwords: createPasswords() }, email, password);
    return { email, password: 'set' };
  },
  'user list': async ({ db }) => {
    const found = await db.read(listUsers);
    return found.map(({ id, email, checkLimit, pingLimit, checkCount }) => {
      return { userId: id, email, checkLimit, pingLimit, checks: checkCount };
    });
  },
  'project create': async (deps, values) => {
    const { id, name } = await createProject(
      deps,
      requireOption(values, 'owner'),
      requireOption(values, 'name'),
    );
    return { projectId: id, name };
  },
  'project list': async ({ db }) => {
    const found = await db.read(listAllProjects);
    return found.map(({ id, name, ownerId }) => ({ projectId: id, name, ownerId }));
  },
  'key create': async (deps, values) => {
    const kind = oneOf(values, 'kind', keyKinds);
    return { kind, key: await issueKey(deps, await projectIn(deps, values), kind) };
  },
  'key revoke': async (deps, values) => {
    const kind = oneOf(values, 'kind', keyKinds);
    await revokeKey(deps, await projectIn(deps, values), kind);
    return { kind, key: 'revoked' };
  },
  'member add': async (deps, values) =>
    addMember(deps, await projectIn(deps, values), {
      email: requireOption(values, 'email'),
      role: oneOf(values, 'role', memberRoles),
    }),
  'member remove': async (deps, values) => {
    await dropMember(deps, await projectIn(deps, values), requireOption(values, 'email'));
    return { member: 'removed' };
  },
  'member list': async (deps, values) => listMembersOf(deps, await projectIn(deps, values)),
  'channel create': async (deps, values) => {
    const kind = oneOf(values, 'kind', channelKindNames);
    const notifying = withNotifier(deps);
    const missing = notifying.notifier.missing(kind);
    const channelId = await createChannel(notifying, {
      projectId: await projectIn(deps, values),
      kind,
      name: requireOption(values, 'name'),
      settings: channelSettings(values),
      // a person who may write to the database needs no consent
      isVerified: true,
      assign: values['no-assign'] !== true,
    });
    const checks = await deps.db.read((tx) => countAssignedChecks(tx, channelId));
    return {
      channelId,
      checks,
      ...(missing !== undefined && {
        warning: `the service must be started with ${missing}, which this command lacks`,
      }),
    };
  },
  'channel list': async (deps, values) => {
    const projectId = await projectIn(deps, values);
    const found = await deps.db.read((tx) => listProjectChannels(tx, projectId));
    return found.map(({ uuid, kind, name }) => ({ channelId: uuid, kind, name }));
  },
  'channel test': async (deps, values) => {
    const path = { projectId: await projectIn(deps, values), uuid: requireOption(values, 'channel') };
    const result = await testChannel(withNotifier(deps), path);
    if (!result.ok) throw new UpstreamFailed(`the test message did not arrive: ${result.error}`);
    return { channelId: path.uuid, test: 'delivered' };
  },
  'channel delete': async (deps, values) => {
    const path = { projectId: await projectIn(deps, values), uuid: requireOption(values, 'channel') };
    await removeChannel(deps, path);
    return { channelId: path.uuid, channel: 'deleted' };
  },
  'keys rotate': async (deps) => {
    const rotation = await rotateKeys(deps, deps.sealing);
    if (rotation !== undefined) return rotation;
    throw new Conflict(
      'a process of an earlier version is connected: replace it, then run the command again',
    );
  },
  [discardCommand]: async (deps) => ({ ...(await discardUnreadable(deps, deps.sealing)) }),
  import: (deps, values) =>
    importDump(withNotifier(deps), {
      file: requireOption(values, 'file'),
      isDryRun: values['dry-run'] === true,
      skipsFaulty: values['skip-faulty'] === true,
    }),
  setup: async (deps, values) => {
    const owner = { email: requireOption(values, 'owner'), ...readLimits(values) };
    const named = serviceProjects(values);
    const folder = values['dir'];
    if (typeof folder !== 'string') return setUpService(deps, owner, named);
    return storeKeyFiles({ ...deps, passwords: createPasswords() }, owner, named, folder);
  },
};

function withNotifier(deps: CommandDeps) {
  return { ...deps, notifier: deps.openNotifier() };
}

/** Id of the project that `--project` names by its id, or by its name where no other project has it. */
async function projectIn({ db }: AccountDeps, values: Values): Promise<string> {
  const named = requireOption(values, 'project');
  const found = await db.read(listAllProjects);
  const [project, ...others] = found.filter(({ id, name }) => id === named.toLowerCase() || name === named);
  if (project === undefined) throw new NotFound(`there is no project ${named}`);
  if (others.length === 0) return project.id;
  const ids = [project, ...others].map(({ id }) => id).join(', ');
  throw new UsageError(`--project: several projects are named ${named}; give one of these ids: ${ids}`);
}

/** How results are shown to people, where not as one line a fact. */
export const descriptions: Readonly<Record<string, (result: object) => string>> = {
  import: (result) => describeImport(result as ImportReport),
};
