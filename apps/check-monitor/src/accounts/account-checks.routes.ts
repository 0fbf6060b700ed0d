import {
  accountBasePath,
  type accountChecksContract,
  type Handlers,
  type QueryOf,
} from '@certloop/contracts';
import { filterOf } from '../checks/check-filter.js';
import { describeCheckFor } from '../checks/check-view.js';
import type { ChecksRouteDeps } from '../checks/checks.routes.js';
import { getCheck, listCheckFlips, listChecks } from '../checks/checks.service.js';
import { describeFlip } from '../flips/flip-view.js';
import { describePings } from '../pings/ping-view.js';
import type { PingsRouteDeps } from '../pings/pings.routes.js';
import { listPings } from '../pings/pings.service.js';
import type { Caller } from '../projects/caller.js';
import type { AccountDeps } from '../projects/create-user.service.js';
import { type AccountContext, userOf } from './account.middleware.js';
import { callerIn, findOwnCheck, readOfCheck, readOwnPingBody } from './account-checks.service.js';
import { requireRole } from './account-projects.service.js';
import { changeChecks } from './console/change-checks.service.js';
import { readCheckStates } from './console/check-states.service.js';
import { clearCheck, moveCheck } from './console/clear-check.service.js';
import { type ConsoleChecksDeps, listCheckPage } from './console/console-checks.service.js';
import type { ChangeChecksDeps } from './console/write-changes.service.js';

export type AccountChecksRouteDeps = AccountDeps &
  ChecksRouteDeps &
  PingsRouteDeps &
  ConsoleChecksDeps &
  ChangeChecksDeps;

type AccountChecksHandlers = Handlers<typeof accountChecksContract, AccountContext>;

/** Checks of a project for its members. */
export function accountChecksHandlers(deps: AccountChecksRouteDeps): AccountChecksHandlers {
  const callerOf: CallerOf = (context, projectId) => callerIn(deps, userOf(context), projectId);
  const view = () => ({ addresses: deps.addresses, now: deps.clock.now() });
  return {
    findOwnCheck: async ({ context, params: { checkId } }) => {
      return { status: 200, body: await findOwnCheck(deps, userOf(context), checkId) };
    },
    listAccountChecks: async ({ context, params: { projectId }, query }) => {
      const caller = await callerOf(context, projectId);
      if (isPaged(query)) {
        const { checks, ...page } = await listCheckPage(deps, caller, pageQueryOf(query));
        const path = `${accountBasePath}/projects/${projectId}/checks`;
        return { status: 200, body: { checks }, headers: pageHeaders(page, path, query) };
      }
      const found = await listChecks(deps, caller, filterOf(query));
      const seen = view();
      return { status: 200, body: { checks: found.map((one) => describeCheckFor(caller, one, seen)) } };
    },
    getCheckStates: async ({ context, params: { projectId }, query: { ids = '' } }) => {
      const caller = await callerOf(context, projectId);
      const named = ids.split(',').filter((id) => id !== '');
      return { status: 200, body: await readCheckStates(deps, caller, named) };
    },
    changeChecks: async ({ context, params: { projectId }, body }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      return { status: 200, body: await changeChecks(deps, await callerOf(context, projectId), body) };
    },
    getAccountCheck: async ({ context, params: { projectId, checkId } }) => {
      const caller = await callerOf(context, projectId);
      const found = await readOfCheck(checkId, () => getCheck(deps, caller, checkId));
      return { status: 200, body: describeCheckFor(caller, found, view()) };
    },
    clearCheck: async ({ context, params: { projectId, checkId } }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      const caller = await callerOf(context, projectId);
      const { check } = await readOfCheck(checkId, () => getCheck(deps, caller, checkId));
      await clearCheck(deps, caller, check.uuid);
      return { status: 204, body: undefined };
    },
    moveCheck: async ({ context, params: { projectId, checkId }, body }) => {
      await requireRole(deps, userOf(context), projectId, 'member');
      await requireRole(deps, userOf(context), body.projectId, 'member');
      const caller = await callerOf(context, projectId);
      const target = await callerOf(context, body.projectId);
      const { check } = await readOfCheck(checkId, () => getCheck(deps, caller, checkId));
      await moveCheck(deps, caller, check.uuid, target);
      return { status: 200, body: { projectId: target.projectId, id: check.uuid } };
    },
    ...historyHandlers(deps, callerOf),
  };
}

type CallerOf = (context: AccountContext, projectId: string) => Promise<Caller>;

/** Returns the handlers of the history of a check: its pings and flips. */
function historyHandlers(deps: AccountChecksRouteDeps, callerOf: CallerOf) {
  return {
    listAccountPings: async ({ context, params: { projectId, checkId } }) => {
      const caller = await callerOf(context, projectId);
      const page = await readOfCheck(checkId, () => listPings(deps, caller, checkId));
      // by the requested id: a unique key must not reveal the uuid
      const path = `${accountBasePath}/projects/${projectId}/checks/${checkId}/pings`;
      return { status: 200, body: { pings: describePings(page, `${deps.addresses.siteRoot}${path}`) } };
    },
    getAccountPingBody: async ({ context, params }) => {
      const caller = await callerOf(context, params.projectId);
      return { status: 200, body: await readOwnPingBody(deps, caller, params) };
    },
    listAccountFlips: async ({ context, params: { projectId, checkId }, query }) => {
      const caller = await callerOf(context, projectId);
      const found = await readOfCheck(checkId, () => listCheckFlips(deps, caller, checkId, query));
      return { status: 200, body: { flips: found.map(describeFlip) } };
    },
  } satisfies Partial<AccountChecksHandlers>;
}

type ListQuery = QueryOf<typeof accountChecksContract.listAccountChecks>;

/** Without query parameters of pages, the response is the whole list, as in earlier versions. */
function isPaged({ slug: _slug, tag: _tag, ...others }: ListQuery): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

function pageQueryOf(query: ListQuery) {
  const { q, status = [], channel, sort = 'created', limit = 100, cursor, include } = query;
  const paging = { q, statuses: status, channel, sort, limit, cursor };
  return { ...filterOf(query), ...paging, hasState: include === 'state' };
}

/** Headers with the number of matches and the link to the next page (RFC 8288). */
function pageHeaders(
  { total, next }: { readonly total: number; readonly next: string | undefined },
  path: string,
  query: ListQuery,
): Readonly<Record<string, string>> {
  const headers = { 'X-Total-Count': String(total) };
  if (next === undefined) return headers;
  const link = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...query, cursor: next })) {
    for (const one of [value ?? []].flat()) link.append(name, String(one));
  }
  return { ...headers, Link: `<${path}?${link}>; rel="next"` };
}
