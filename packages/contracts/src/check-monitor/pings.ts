import { z } from 'zod';
import { endpoint, json, text } from '../endpoint.js';
import { byCheck, queryText } from './replies.js';
import { pingTypes } from './words.js';

/** A logged ping; `duration` in seconds, only where a start was found. */
export const pingSchema = z
  .object({
    type: z.enum(pingTypes),
    date: z.iso.datetime({ offset: true }),
    n: z.int(),
    scheme: z.string(),
    remote_addr: z.string().nullable(),
    method: z.string(),
    ua: z.string(),
    rid: z.string().nullable(),
    body_url: z.string().nullable(),
    duration: z.number().optional(),
  })
  .meta({ id: 'Ping' });
export type Ping = z.output<typeof pingSchema>;

export const pingLogContract = {
  listPings: endpoint({
    method: 'GET',
    path: '/checks/{id}/pings/',
    documented: true,
    summary: 'List the pings of a check, newest first',
    params: byCheck,
    responses: { 200: json(z.object({ pings: z.array(pingSchema) }), 'Pings') },
    failures: [401, 403, 404],
  }),
  getPingBody: endpoint({
    method: 'GET',
    path: '/checks/{id}/pings/{n}/body',
    documented: true,
    summary: 'Show the body of a ping as it was received',
    params: byCheck.extend({ n: z.string() }),
    responses: { 200: { kind: 'bytes', contentType: 'text/plain', description: 'The body' } },
    failures: [401, 403, 404],
  }),
};

const byUuid = z.object({ uuid: z.string() });
const bySlug = z.object({ pingKey: z.string(), slug: z.string() });
const run = z.object({ rid: queryText });
const runOrCreate = run.extend({ create: queryText });
// as everywhere in this API family, though it is but a word
const accepted = { 200: text('text/html', 'OK') };
const acceptedOrCreated = { ...accepted, 201: text('text/html', 'Created: the check is new') };

const uuidPing = <const P extends string>(path: P, summary: string) =>
  endpoint({
    method: 'POST',
    path,
    documented: true,
    summary,
    params: byUuid,
    query: run,
    body: { kind: 'raw' },
    public: true,
    responses: accepted,
    failures: [400, 404],
  });

const slugPing = <const P extends string>(path: P, summary: string) =>
  endpoint({
    method: 'POST',
    path,
    documented: true,
    summary,
    params: bySlug,
    query: runOrCreate,
    body: { kind: 'raw' },
    public: true,
    responses: acceptedOrCreated,
    failures: [400, 404, 409],
  });

/**
 * Addresses that jobs ping, by check uuid or by ping key and slug. POST is declared, whose body is stored; GET,
 * HEAD and PUT mean the same. Refusals are plain text.
 */
export const pingContract = {
  pingSuccess: uuidPing('/ping/{uuid}', 'Report success'),
  pingStart: uuidPing('/ping/{uuid}/start', 'Report the start of a run'),
  pingFail: uuidPing('/ping/{uuid}/fail', 'Report failure'),
  pingLog: uuidPing('/ping/{uuid}/log', 'Log without a change of status'),
  // Two segments are a uuid with an exit status, or a ping key with a slug: no template distinguishes them.
  pingNamed: endpoint({
    method: 'POST',
    path: '/ping/{key}/{name}',
    documented: true,
    summary: 'Report an exit status (0 to 255) by check uuid, or success by ping key and slug',
    params: z.object({ key: z.string(), name: z.string() }),
    query: runOrCreate,
    body: { kind: 'raw' },
    public: true,
    responses: acceptedOrCreated,
    failures: [400, 404, 409],
  }),
  pingStartBySlug: slugPing('/ping/{pingKey}/{slug}/start', 'Report the start of a run'),
  pingFailBySlug: slugPing('/ping/{pingKey}/{slug}/fail', 'Report failure'),
  pingLogBySlug: slugPing('/ping/{pingKey}/{slug}/log', 'Log without a change of status'),
  pingExitStatusBySlug: endpoint({
    method: 'POST',
    path: '/ping/{pingKey}/{slug}/{exitStatus}',
    documented: true,
    summary: 'Report an exit status, 0 to 255',
    params: bySlug.extend({ exitStatus: z.string() }),
    query: runOrCreate,
    body: { kind: 'raw' },
    public: true,
    responses: acceptedOrCreated,
    failures: [400, 404, 409],
  }),
};
