import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import { byCheck, queryText } from './replies.js';

/** One change of status; `up` is 1 when the check went up, else 0. */
export const flipSchema = z
  .object({
    timestamp: z.iso.datetime({ offset: true }),
    up: z.union([z.literal(0), z.literal(1)]),
  })
  .meta({ id: 'Flip' });
export type Flip = z.output<typeof flipSchema>;

export const flipsContract = {
  listFlips: endpoint({
    method: 'GET',
    path: '/checks/{id}/flips/',
    documented: true,
    summary: 'List changes of status of a check by uuid or unique key, newest first',
    params: byCheck,
    query: z.object({ seconds: queryText, start: queryText, end: queryText }),
    responses: { 200: json(z.array(flipSchema), 'Changes of status') },
    failures: [400, 401, 403, 404],
  }),
};

/** Operations that versions 1 and 2 of the API have otherwise. */
export const earlierFlipsContract = {
  listFlips: endpoint({
    ...flipsContract.listFlips,
    responses: { 200: json(z.object({ flips: z.array(flipSchema) }), 'Changes of status') },
  }),
};
