import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import { checkSchema, readOnlyCheckSchema } from './checks.js';
import { flipSchema } from './flips.js';
import { pingSchema } from './pings.js';
import { queryText } from './replies.js';

// uuids and unique keys count in any case
const id = z.string().toLowerCase();
const ofProject = z.object({ projectId: id });
const ofCheck = ofProject.extend({ checkId: id });
const checkAsSeen = z.union([checkSchema, readOnlyCheckSchema]);

/**
 * What every member of a project sees of its checks, also with the role read-only. A check is found by its uuid or its
 * unique key; read-only members see the latter, as holders of a read-only key do.
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
    summary: 'List the checks of a project, by slug and by tags if given',
    params: ofProject,
    query: z.object({ slug: queryText, tag: queryText }),
    responses: { 200: json(z.object({ checks: z.array(checkAsSeen) }), 'Checks') },
    failures: [401, 404],
  }),
  getAccountCheck: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}',
    summary: 'Show a check by uuid or unique key',
    params: ofCheck,
    responses: { 200: json(checkAsSeen, 'The check') },
    failures: [401, 404],
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
