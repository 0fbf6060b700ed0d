import type { AccountProject, Check, CheckState, ListedCheck } from '@certloop/contracts/browser';
import {
  background,
  keyedBy,
  type ListOptions,
  listOptions,
  listPageOf,
  live,
  queryOptions,
  type ReplyTo,
  showing,
} from '@certloop/web-kit';
import { keepPreviousData } from '@tanstack/react-query';
import { statesResource } from './resources.js';
import { api } from './service.js';

/** The projects of the user, with the counts of their checks. */
export const projectsQuery = {
  ...queryOptions(api.listProjects, { query: { include: 'counts' }, headers: background }),
  select: ({ projects }: ProjectList) => projects,
};

type ProjectList = ReplyTo<typeof api.listProjects>['body'];
export type CountedProject = ProjectList['projects'][number];

/** Query of a project. */
export const projectQuery = (projectId: string) =>
  queryOptions(api.getProject, { params: { projectId }, headers: background });

/** Query of whether the alerts of a project reach people; repeated at intervals, and when its integrations change. */
export function reachQuery(projectId: string) {
  const input = { params: { projectId }, query: { include: 'counts' }, headers: background } as const;
  return {
    ...queryOptions(api.getProject, input),
    select: ({ alerts }: ReplyTo<typeof api.getProject>['body']) => alerts ?? null,
    ...live(60_000),
  };
}

/** Whether a member with this role changes what is in the project; others only look. */
export function mayChange(project: Pick<AccountProject, 'role'> | undefined): boolean {
  return project !== undefined && project.role !== 'read-only';
}

type ChannelList = ReplyTo<typeof api.listAccountChannels>['body'];
const select = ({ channels }: ChannelList) => channels;

/** Query of the integrations of a project. */
export const channelsQuery = (projectId: string) => ({
  ...queryOptions(api.listAccountChannels, { params: { projectId } }),
  select,
});

/** Query of the integrations of a project, each with the number of checks that notify it. */
export const countedChannelsQuery = (projectId: string) => ({
  ...queryOptions(api.listAccountChannels, { params: { projectId }, query: { include: 'counts' } }),
  select,
});

/** Query of the kinds of integrations, which change with the service only. */
export const kindsQuery = {
  ...queryOptions(api.listChannelKinds),
  select: ({ kinds }: ReplyTo<typeof api.listChannelKinds>['body']) => kinds,
  staleTime: 300_000,
};

/** Query of the diagnosis of a check, repeated when its state changes, and at intervals in the background. */
export function diagnosisQuery(
  projectId: string,
  checkId: string,
  { status, n_pings }: Pick<Check, 'status' | 'n_pings'>,
) {
  const input = { params: { projectId, checkId }, headers: background };
  return {
    ...keyedBy(queryOptions(api.diagnoseCheck, input), status, n_pings),
    ...live(15_000),
    placeholderData: keepPreviousData,
  };
}

const maxIds = 100;

/** Query of the counts of a project and the states of some checks, repeated at intervals in the background. */
export function statesQuery(projectId: string, ids: readonly string[]) {
  const query = { ids: ids.slice(0, maxIds).join(',') };
  const options = queryOptions(api.getCheckStates, { params: { projectId }, query, headers: background });
  return {
    ...showing(options, [...(options.meta.shows ?? []), statesResource(projectId)]),
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

/** The checks of a project that match, page by page. */
export function checkList(
  projectId: string,
  { q, status, tag, channel, sort = 'attention' }: CheckSearch,
): ListOptions<ListedCheck> {
  const query = {
    limit: String(firstRows),
    sort,
    include: 'state',
    ...(q === undefined ? {} : { q }),
    ...(status === undefined ? {} : { status }),
    ...(tag === undefined ? {} : { tag }),
    ...(channel === undefined ? {} : { channel }),
  } as const;
  return listOptions(
    api.listAccountChecks,
    { params: { projectId }, query },
    {
      pageOf: ({ body, headers }) => listPageOf<ListedCheck>(body.checks, headers),
      next: (cursor) => ({ limit: String(moreRows), cursor }),
    },
  );
}

/** The beginning of the keys of all lists of the checks of a project. */
export const checkListsKey = (projectId: string) => checkList(projectId, {}).queryKey.slice(0, 2);
