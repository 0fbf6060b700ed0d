import type { AccountState, accountContract, Handlers } from '@certloop/contracts';
import { describeChannel, type ViewedChannel } from '../channels/channel-view.js';
import { removeChannel } from '../channels/manage-channels.service.js';
import { isoSeconds } from '../instants.js';
import { judgeGroups } from '../integrations/kinds/group/group-members.js';
import { type TestChannelDeps, testChannel } from '../notifications/test-channel.service.js';
import { issueKey, revokeKey } from '../projects/create-project.service.js';
import type { AccountDeps } from '../projects/create-user.service.js';
import { type AccountCallerDeps, type AccountContext, sessionOf, userOf } from './account.middleware.js';
import {
  type AccountChannelsDeps,
  addChannel,
  changeChannel,
  listAccountChannels,
} from './account-channels.service.js';
import { type AccountChecksRouteDeps, accountChecksHandlers } from './account-checks.routes.js';
import {
  type AccountBounds,
  countProjects,
  createOwnProject,
  removeProject,
  renameOwnProject,
  requireRole,
} from './account-projects.service.js';
import { channelPathOf, requireKind } from './channel-path.js';
import { type ConsoleRoutesDeps, consoleHandlers } from './console/console.routes.js';
import { listProjects, type ProjectCountsDeps, showProject } from './console/project-counts.service.js';
import { changePassword } from './passwords.service.js';
import { listProjectMembers, putMember, removeMember } from './project-members.service.js';
import { mayAs } from './role.js';
import { canAnyoneSignIn, closeSession, openSession, type SignedIn } from './sessions.service.js';

/** Settings that the state of the service shows. */
export interface AccountStateDeps {
  readonly siteName: string;
  /** Whether mail can be sent. */
  readonly sendsMail?: boolean;
  /** Address of the certificate manager for browsers. */
  readonly managerUrl?: string | undefined;
  /** How pings are accepted by mail; undefined if they are not. */
  readonly mail?: { readonly domain: string } | undefined;
}

export type AccountRoutesDeps = AccountCallerDeps &
  AccountStateDeps &
  AccountDeps &
  AccountBounds &
  AccountChannelsDeps &
  TestChannelDeps &
  AccountChecksRouteDeps &
  ProjectCountsDeps &
  ConsoleRoutesDeps;

type AccountHandlers = Handlers<typeof accountContract, AccountContext>;

export function accountHandlers(deps: AccountRoutesDeps): AccountHandlers {
  return {
    ...sessionHandlers(deps),
    ...projectHandlers(deps),
    ...memberHandlers(deps),
    ...keyHandlers(deps),
    ...channelHandlers(deps),
    ...accountChecksHandlers(deps),
    ...consoleHandlers(deps),
  };
}

const done = { status: 204, body: undefined } as const;

function sessionHandlers(deps: AccountRoutesDeps) {
  const { cookie, deviceCookie } = deps;
  return {
    getState: async () => ({ status: 200, body: await describeState(deps) }),
    login: async ({ context, body }) => {
      const { secret, ...session } = await openSession(deps, context.from, body);
      const { deviceSecret } = session;
      const device = deviceSecret === undefined ? [] : [deviceCookie.give(deviceSecret)];
      return {
        status: 200,
        body: describeSession(session),
        headers: { 'Set-Cookie': [cookie.give(secret), ...device] },
      };
    },
    logout: async ({ context }) => {
      await closeSession(deps, sessionOf(context));
      return { ...done, headers: { 'Set-Cookie': cookie.take() } };
    },
    getMe: async ({ context }) => {
      const { idleEndsAt, endsAt, ...session } = sessionOf(context);
      const ends = { idleEndsAt: isoSeconds(idleEndsAt), endsAt: isoSeconds(endsAt) };
      return { status: 200, body: { ...describeSession(session), session: ends } };
    },
    getLimits: async ({ context }) => {
      const { id, checkCount, checkLimit, pingLimit } = userOf(context);
      const limits = {
        checkLimit: checkLimit ?? deps.checkLimit,
        projects: await countProjects(deps, id),
        projectLimit: deps.projectLimit,
        pingLimit: pingLimit ?? deps.pingLimit,
      };
      return { status: 200, body: { checks: checkCount, ...limits } };
    },
    changePassword: async ({ context, body }) => {
      await changePassword(deps, sessionOf(context), body);
      return { ...done, headers: { 'Set-Cookie': cookie.take() } };
    },
  } satisfies Partial<AccountHandlers>;
}

function projectHandlers(deps: AccountRoutesDeps) {
  return {
    listProjects: async ({ context, query }) => {
      return { status: 200, body: { projects: await listProjects(deps, userOf(context), query) } };
    },
    createProject: async ({ context, body }) => {
      return { status: 201, body: await createOwnProject(deps, userOf(context), body.name) };
    },
    getProject: async ({ context, params, query }) => {
      return { status: 200, body: await showProject(deps, userOf(context), { ...params, ...query }) };
    },
    renameProject: async ({ context, params, body }) => {
      const renamed = await renameOwnProject(deps, userOf(context), params.projectId, body.name);
      return { status: 200, body: renamed };
    },
    deleteProject: async ({ context, params }) => {
      await removeProject(deps, userOf(context), params.projectId);
      return done;
    },
  } satisfies Partial<AccountHandlers>;
}

function memberHandlers(deps: AccountRoutesDeps) {
  return {
    listMembers: async ({ context, params }) => {
      const members = await listProjectMembers(deps, userOf(context), params.projectId);
      return { status: 200, body: { members } };
    },
    putMember: async ({ context, params, body }) => {
      return { status: 200, body: await putMember(deps, userOf(context), params.projectId, body) };
    },
    removeMember: async ({ context, params }) => {
      await removeMember(deps, userOf(context), params.projectId, params.userId);
      return done;
    },
  } satisfies Partial<AccountHandlers>;
}

function keyHandlers(deps: AccountRoutesDeps) {
  return {
    createKey: async ({ context, params: { projectId, kind } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      const key = await issueKey(deps, projectId, kind);
      return { status: 201, body: { kind, key } };
    },
    revokeKey: async ({ context, params: { projectId, kind } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      await revokeKey(deps, projectId, kind);
      return done;
    },
  } satisfies Partial<AccountHandlers>;
}

function channelHandlers(deps: AccountRoutesDeps) {
  return {
    listAccountChannels: async ({ context, params: { projectId }, query }) => {
      const role = await requireRole(deps, userOf(context), projectId, 'read-only');
      const found = await listAccountChannels(deps, projectId, query);
      const obstacle = judgeGroups(
        found.map(({ channel }) => channel),
        deps.notifier.obstacle,
      );
      const channels = found.map(({ channel, ...counted }) => {
        const cannot_send = obstacle(channel);
        const described = {
          ...shown(deps, channel),
          ...(cannot_send !== undefined && { cannot_send }),
          ...counted,
        };
        // addresses and bodies may hold secrets, too
        return mayAs(role, 'member') ? described : { ...described, settings: {} };
      });
      return { status: 200, body: { channels } };
    },
    createChannel: async ({ context, params: { projectId }, body }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      const { name, settings, assign } = body;
      const wanted = { projectId, kind: requireKind(body.kind), name, settings, assign };
      return { status: 201, body: shown(deps, await addChannel(deps, wanted, userOf(context))) };
    },
    editChannel: async ({ context, params: { projectId, channelId }, body: { name, settings } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      const edit = {
        ...(name !== undefined && { name }),
        ...(settings !== undefined && { settings }),
      };
      const path = channelPathOf(projectId, channelId);
      return { status: 200, body: shown(deps, await changeChannel(deps, path, edit, userOf(context))) };
    },
    deleteChannel: async ({ context, params: { projectId, channelId } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      await removeChannel(deps, channelPathOf(projectId, channelId));
      return done;
    },
    testChannel: async ({ context, params: { projectId, channelId } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      const result = await testChannel(deps, channelPathOf(projectId, channelId));
      return { status: 200, body: { ok: result.ok, error: result.ok ? '' : result.error } };
    },
  } satisfies Partial<AccountHandlers>;
}

function shown({ clock }: Pick<AccountRoutesDeps, 'clock'>, channel: ViewedChannel) {
  const { settings, ...described } = describeChannel(channel, clock.now());
  return { ...described, settings: { ...settings } };
}

async function describeState(deps: AccountRoutesDeps): Promise<AccountState> {
  const { siteName, sendsMail = false, managerUrl, mail } = deps;
  const canSignIn = await canAnyoneSignIn(deps);
  return {
    siteName,
    canSignIn,
    mail: sendsMail,
    ...(managerUrl !== undefined && { managerUrl }),
    ...(mail !== undefined && { pingMailDomain: mail.domain }),
  };
}

function describeSession({ user, csrfToken }: Pick<SignedIn, 'user' | 'csrfToken'>) {
  return { user: { id: user.id, email: user.email }, csrfToken };
}
