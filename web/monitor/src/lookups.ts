import type { AccountProject, Check, CheckState, ListedCheck } from '@certloop/contracts/browser';
import { background, type ListPage, listPageOf, live } from '@certloop/web-kit';
import { keepPreviousData } from '@tanstack/react-query';
import { api } from './service.js';

interface Asked {
  readonly signal: AbortSignal;
}

/** The projects of the user, with the counts of their checks. */
export const projectsQuery = {
  queryKey: ['projects'],
  queryFn: async ({ signal }: Asked) => {
    const query = { include: 'counts' } as const;
    return (await api.listProjects({ query, headers: background, signal })).body.projects;
  },
};

export type CountedProject = Awaited<ReturnType<(typeof projectsQuery)['queryFn']>>[number];

/** Query of a project. */
export function projectQuery(projectId: string) {
  return {
    queryKey: ['projects', projectId],
    queryFn: async ({ signal }: Asked) =>
      (await api.getProject({ params: { projectId }, headers: background, signal })).body,
  };
}

/** Query of whether the alerts of a project reach people; repeated at intervals, and when its integrations change. */
export function reachQuery(projectId: string) {
  const query = { include: 'counts' } as const;
  return {
    queryKey: ['projects', projectId, 'channels', 'reach'],
    queryFn: async ({ signal }: Asked) =>
      (await api.getProject({ params: { projectId }, query, headers: background, signal })).body.alerts ??
      null,
    ...live(60_000),
  };
}

/** Whether a member with this role changes what is in the project; others only look. */
export function mayChange(project: Pick<AccountProject, 'role'> | undefined): boolean {
  return project !== undefined && project.role !== 'read-only';
}

/** Query of the integrations of a project. */
export function channelsQuery(projectId: string) {
  return {
    queryKey: ['projects', projectId, 'channels'],
    queryFn: async ({ signal }: Asked) =>
      (await api.listAccountChannels({ params: { projectId }, signal })).body.channels,
  };
}

/** Query of the integrations of a project, each with the number of checks that notify it. */
export function countedChannelsQuery(projectId: string) {
  const query = { include: 'counts' } as const;
  return {
    queryKey: ['projects', projectId, 'channels', 'counts'],
    queryFn: async ({ signal }: Asked) =>
      (await api.listAccountChannels({ params: { projectId }, query, signal })).body.channels,
  };
}

/** Query of the kinds of integrations, which change with the service only. */
export const kindsQuery = {
  queryKey: ['channel-kinds'],
  queryFn: async ({ signal }: Asked) => (await api.listChannelKinds({ signal })).body.kinds,
  staleTime: 300_000,
};

/** Query of the diagnosis of a check, repeated when its state changes, and at intervals in the background. */
export function diagnosisQuery(
  projectId: string,
  checkId: string,
  { status, n_pings }: Pick<Check, 'status' | 'n_pings'>,
) {
  const params = { projectId, checkId };
  return {
    queryKey: ['projects', projectId, 'check', checkId, 'diagnosis', status, n_pings],
    queryFn: async ({ signal }: Asked) =>
      (await api.diagnoseCheck({ params, headers: background, signal })).body,
    ...live(15_000),
    placeholderData: keepPreviousData,
  };
}

const maxIds = 100;

/** Query of the counts of a project and the states of some checks, repeated at intervals in the background. */
export function statesQuery(projectId: string, ids: readonly string[]) {
  const named = ids.slice(0, maxIds).join(',');
  return {
    queryKey: ['projects', projectId, 'states', named],
    queryFn: async ({ signal }: Asked) =>
      (
        await api.getCheckStates({
          params: { projectId },
          query: { ids: named },
          headers: background,
          signal,
        })
      ).body,
    ...live(),
    placeholderData: keepPreviousData,
  };
}

/** A check of the list with its newest state. */
export type LiveCheck = ListedCheck & { readonly id: string; readonly recent?: string };

/** Puts newer states into the rows of a list. */
export function withStates(rows: readonly ListedCheck[], states: readonly CheckState[]): LiveCheck[] {
  const byId = new Map(states.map((state) => [state.id, state]));
  return rows.map((row) => {
    const id = row.id ?? '';
    const state = byId.get(id);
    if (state === undefined) return { ...row, id };
    const { status, started, lastPing, nextPing, lastDuration, downSince, recent } = state;
    const { downSince: _since, last_duration: _duration, ...rest } = row;
    return {
      ...rest,
      id,
      status,
      started,
      last_ping: lastPing,
      next_ping: nextPing,
      recent,
      ...(downSince === null ? {} : { downSince }),
      ...(lastDuration === null ? {} : { last_duration: lastDuration }),
    };
  });
}

/** The parameters of the address that filter and sort the list of checks. */
export interface CheckSearch {
  readonly q?: string;
  readonly status?: 'new' | 'up' | 'grace' | 'down' | 'paused' | 'started';
  readonly tag?: string;
  /** Uuid of an integration that the checks notify. */
  readonly channel?: string;
  readonly sort?: 'attention' | 'name' | 'created';
}

/** The first page is what a screen shows, so that it is there soon; the next ones are loaded while one scrolls. */
const [firstRows, moreRows] = [100, 500];

/** One page of the checks of a project. */
export async function loadChecks(
  projectId: string,
  { q, status, tag, channel, sort = 'attention' }: CheckSearch,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ListPage<ListedCheck>> {
  const { body, headers } = await api.listAccountChecks({
    params: { projectId },
    query: {
      limit: String(cursor === undefined ? firstRows : moreRows),
      sort,
      include: 'state',
      ...(q === undefined ? {} : { q }),
      ...(status === undefined ? {} : { status }),
      ...(tag === undefined ? {} : { tag }),
      ...(channel === undefined ? {} : { channel }),
      ...(cursor === undefined ? {} : { cursor }),
    },
    signal,
  });
  return listPageOf(body.checks, headers);
}
