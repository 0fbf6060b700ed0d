import type { accountConsoleContract, Handlers } from '@certloop/contracts';
import { lastOf } from '../../flips/flip-window.js';
import type { AccountDeps } from '../../projects/create-user.service.js';
import { type AccountContext, userOf } from '../account.middleware.js';
import { callerIn, readOfCheck } from '../account-checks.service.js';
import { requireRole } from '../account-projects.service.js';
import { channelPathOf, requireKind } from '../channel-path.js';
import type { UserLimit } from '../user-limit.service.js';
import {
  type ConsoleChannelsDeps,
  listChannelKinds,
  listDeliveries,
  tryChannel,
} from './console-channels.service.js';
import { type CheckHistoryDeps, listEvents } from './history/check-history.service.js';
import { diagnoseCheck } from './history/diagnose-check.service.js';
import { readDowntimes, readDurations } from './history/downtimes.service.js';
import { previewSchedule } from './preview-schedule.js';

export type ConsoleRoutesDeps = AccountDeps &
  CheckHistoryDeps &
  ConsoleChannelsDeps & {
    /** Bounds how often a user may send test messages to addresses that are not saved. */
    readonly trialLimit: UserLimit;
  };

/** Returns the handlers of what pages show in addition to the checks themselves. */
export function consoleHandlers(
  deps: ConsoleRoutesDeps,
): Handlers<typeof accountConsoleContract, AccountContext> {
  const callerOf = (context: AccountContext, projectId: string) => callerIn(deps, userOf(context), projectId);
  return {
    previewSchedule: async ({ context, query: { count = 6, kind, ...texts } }) => {
      userOf(context);
      const typed = {
        kind,
        timeout: lastOf(texts.timeout),
        schedule: lastOf(texts.schedule),
        tz: lastOf(texts.tz),
        grace: lastOf(texts.grace),
      };
      return { status: 200, body: previewSchedule(typed, count, deps.clock.now()) };
    },
    diagnoseCheck: async ({ context, params: { projectId, checkId } }) => {
      const caller = await callerOf(context, projectId);
      const body = await readOfCheck(checkId, () => diagnoseCheck(deps, caller, checkId));
      return { status: 200, body };
    },
    listEvents: async ({ context, params: { projectId, checkId }, query }) => {
      const caller = await callerOf(context, projectId);
      const body = await readOfCheck(checkId, () => listEvents(deps, caller, checkId, query));
      return { status: 200, body };
    },
    getDurations: async ({ context, params: { projectId, checkId }, query: { points } }) => {
      const caller = await callerOf(context, projectId);
      const buckets = await readOfCheck(checkId, () => readDurations(deps, caller, checkId, points));
      return { status: 200, body: { buckets } };
    },
    getDowntimes: async ({ context, params: { projectId, checkId }, query }) => {
      const caller = await callerOf(context, projectId);
      const body = await readOfCheck(checkId, () => readDowntimes(deps, caller, checkId, query));
      return { status: 200, body };
    },
    listChannelKinds: async ({ context }) => {
      userOf(context);
      return { status: 200, body: { kinds: listChannelKinds(deps) } };
    },
    tryChannel: async ({ context, params: { projectId }, body: { kind, name, settings } }) => {
      const { id, email: ownAddress } = userOf(context);
      await requireRole(deps, { id }, projectId, 'member');
      deps.trialLimit.require(id);
      deps.trialLimit.count(id);
      const tried = { projectId, kind: requireKind(kind), name, settings, ownAddress };
      return { status: 200, body: await tryChannel(deps, tried) };
    },
    listDeliveries: async ({ context, params: { projectId, channelId }, query }) => {
      await requireRole(deps, userOf(context), projectId, 'read-only');
      const deliveries = await listDeliveries(deps, channelPathOf(projectId, channelId), query);
      return { status: 200, body: { deliveries } };
    },
  };
}
