import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';
import { optionalQueryInteger, searchText } from '../scalars.js';
import { checkChangeResultSchema, checkChangeSchema, listStatuses } from './change-checks.js';
import { checkSchema, readOnlyCheckSchema } from './checks.js';
import { flipSchema } from './flips.js';
import { pingSchema } from './pings.js';
import { queryText } from './replies.js';
import { checkKinds, checkSorts, checkStatuses } from './words.js';

// uuids and unique keys count in any case
const id = z.string().toLowerCase();
const ofProject = z.object({ projectId: id });
const ofCheck = ofProject.extend({ checkId: id });
const checkAsSeen = z.union([checkSchema, readOnlyCheckSchema]);

/** Members that lists for pages add to a check with `include=state`. */
const stateOfCheck = {
  /** The uuid, or for read-only members the unique key. */
  id: z.string(),
  kind: z.enum(checkKinds),
  /** When the ping was or is expected; absent when none is. */
  expectedAt: z.string().optional(),
  /** Since when the check is down; absent when it is not. */
  downSince: z.string().optional(),
};
const listedCheck = z.union([
  checkSchema.extend(stateOfCheck).partial(mask(stateOfCheck)),
  readOnlyCheckSchema.extend(stateOfCheck).partial(mask(stateOfCheck)),
]);
export type ListedCheck = z.output<typeof listedCheck>;

/** Number of checks of a project in each state; `started` also counts among the others. */
export const checkCountsSchema = z
  .object({
    new: z.int(),
    up: z.int(),
    grace: z.int(),
    down: z.int(),
    paused: z.int(),
    started: z.int(),
  })
  .meta({ id: 'CheckCounts' });
export type CheckCounts = z.output<typeof checkCountsSchema>;

/** Members of a check that change while a page shows it. */
export const checkStateSchema = z
  .object({
    id: z.string(),
    status: z.enum(checkStatuses),
    started: z.boolean(),
    lastPing: z.string().nullable(),
    nextPing: z.string().nullable(),
    /** Seconds of the last run whose start was seen. */
    lastDuration: z.number().nullable(),
    downSince: z.string().nullable(),
    /** Letters of the latest runs, oldest first and at most 48: `u` success, `f` failure, `m` missed. */
    recent: z.string(),
  })
  .meta({ id: 'CheckState' });
export type CheckState = z.output<typeof checkStateSchema>;

/** A query parameter that may be given several times. */
function severalOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  const word = z.enum(words);
  return z
    .union([word, z.array(word)])
    .transform((given) => [given].flat() as Words[number][])
    .optional();
}

function mask<Shape extends object>(shape: Shape): { readonly [Name in keyof Shape]: true } {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true])) as {
    readonly [Name in keyof Shape]: true;
  };
}

/**
 * Operations by which every member of a project sees its checks, also with the role read-only. A check is found by its
 * uuid or its unique key; read-only members see the latter, as holders of a read-only key do.
 */
export const accountChecksContract = {
  findOwnCheck: endpoint({
    method: 'GET',
    path: '/checks/{checkId}',
    summary: 'Find the project of a check by uuid or unique key, among the projects of the user',
    params: z.object({ checkId: id }),
    responses: {
      200: json(
        z.object({ projectId: z.string(), id: z.string() }),
        'The project, and the id to show the check by',
      ),
    },
    failures: [401, 404],
  }),
  listAccountChecks: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks',
    summary: 'List the checks of a project: all of them, or pages of those that match',
    params: ofProject,
    query: z.object({
      slug: queryText,
      tag: queryText,
      q: searchText(200).optional(),
      status: severalOf(listStatuses),
      channel: z.string().toLowerCase().optional(),
      sort: z.enum(checkSorts).optional(),
      limit: optionalQueryInteger(1, 1000),
      cursor: z.string().max(2000).optional(),
      include: z.enum(['state']).optional(),
    }),
    responses: { 200: json(z.object({ checks: z.array(listedCheck) }), 'Checks') },
    failures: [400, 401, 404],
  }),
  getCheckStates: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/status',
    summary:
      'Show the counts of a project, and the states of up to 100 of its checks (ids separated by commas)',
    params: ofProject,
    query: z.object({ ids: z.string().toLowerCase().max(4200).optional() }),
    responses: {
      200: json(
        z.object({ at: z.string(), counts: checkCountsSchema, checks: z.array(checkStateSchema) }),
        'Counts and states; unknown ids are ignored',
      ),
    },
    failures: [400, 401, 404],
  }),
  changeChecks: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/checks/bulk',
    summary:
      'Pause, resume or delete many checks, or change their tags or integrations, 200 in each transaction',
    params: ofProject,
    body: { kind: 'json', schema: checkChangeSchema },
    responses: { 200: json(checkChangeResultSchema, 'How many changed, and what became of each') },
    failures: [400, 401, 403, 404, 409],
  }),
  getAccountCheck: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}',
    summary: 'Show a check by uuid or unique key',
    params: ofCheck,
    responses: { 200: json(checkAsSeen, 'The check') },
    failures: [401, 404],
  }),
  clearCheck: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/checks/{checkId}/clear',
    summary: 'Delete the pings, changes of status and sent messages of a check; it is then like a new one',
    params: ofCheck,
    responses: { 204: empty('Cleared') },
    failures: [401, 403, 404],
  }),
  moveCheck: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/checks/{checkId}/move',
    summary: 'Move a check to another project; it then notifies the integrations of that project',
    params: ofCheck,
    body: { kind: 'json', schema: z.object({ projectId: id }) },
    responses: {
      200: json(z.object({ projectId: z.string(), id: z.string() }), 'The project, and the id of the check'),
    },
    failures: [400, 401, 403, 404],
  }),
  listAccountPings: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/pings',
    summary: 'List the pings of a check, newest first',
    params: ofCheck,
    responses: { 200: json(z.object({ pings: z.array(pingSchema) }), 'Pings') },
    failures: [401, 404],
  }),
  getAccountPingBody: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/pings/{n}/body',
    summary: 'Show the body of a ping as it was received',
    params: ofCheck.extend({ n: z.string() }),
    responses: { 200: { kind: 'bytes', contentType: 'text/plain', description: 'The body' } },
    failures: [401, 404],
  }),
  listAccountFlips: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/flips',
    summary: 'List changes of status of a check, newest first',
    params: ofCheck,
    query: z.object({ seconds: queryText, start: queryText, end: queryText }),
    responses: { 200: json(z.object({ flips: z.array(flipSchema) }), 'Changes of status') },
    failures: [400, 401, 404],
  }),
};
