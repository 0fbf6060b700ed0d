import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import { byCheck, queryText } from './replies.js';
import { checkStatuses } from './words.js';

/** Point in time of the monitor: ISO 8601 with the offset +00:00. */
const moment = z.iso.datetime({ offset: true });

/** Where keywords are looked for, and what pings without one mean. */
const filters = {
  filter_subject: z.boolean(),
  filter_body: z.boolean(),
  filter_http_body: z.boolean(),
  filter_default_fail: z.boolean(),
};

/** Members of a check for both kinds of key, before and after the members that depend on the key. */
const description = {
  name: z.string(),
  slug: z.string(),
  tags: z.string(),
  desc: z.string(),
  grace: z.int(),
  n_pings: z.int(),
  status: z.enum(checkStatuses),
  started: z.boolean(),
  last_ping: moment.nullable(),
  next_ping: moment.nullable(),
  manual_resume: z.boolean(),
  methods: z.enum(['', 'POST']),
  subject: z.string(),
  subject_fail: z.string(),
  start_kw: z.string(),
  success_kw: z.string(),
  failure_kw: z.string(),
  ...filters,
  badge_url: z.string(),
  /** Whole seconds of the last run with a start signal. */
  last_duration: z.int().optional(),
};

/** `timeout` (seconds) on a Simple check; `schedule` and `tz` on a Cron check. */
const expectation = {
  timeout: z.int().optional(),
  schedule: z.string().optional(),
  tz: z.string().optional(),
};

/** A check as a read-write key sees it; `grace` and `timeout` in seconds. */
export const checkSchema = z
  .object({
    ...description,
    uuid: z.string(),
    ping_url: z.string(),
    update_url: z.string(),
    pause_url: z.string(),
    resume_url: z.string(),
    channels: z.string(),
    ...expectation,
  })
  .meta({ id: 'Check' });
export type Check = z.output<typeof checkSchema>;

/** A check as a read-only key sees it: no address that changes it, a `unique_key` instead of its uuid. */
export const readOnlyCheckSchema = z
  .object({ ...description, unique_key: z.string(), ...expectation })
  .meta({ id: 'ReadOnlyCheck' });
export type ReadOnlyCheck = z.output<typeof readOnlyCheckSchema>;

/** Fields that an upsert may match on. */
export const uniqueFields = ['name', 'slug', 'tags', 'timeout', 'grace'] as const;
export type UniqueField = (typeof uniqueFields)[number];

const seconds = z.int().min(60).max(31_536_000);
const keywords = z.string().max(200);

/** Parameters of an update, all optional; `timeout` and `grace` in seconds. */
export const checkUpdateSchema = z
  .object({
    name: z.string().max(100),
    slug: z
      .string()
      .regex(/^[a-z0-9_-]*$/)
      .max(100),
    tags: z.string().max(500),
    desc: z.string(),
    timeout: seconds,
    grace: seconds,
    schedule: z.string().max(100),
    tz: z.string(),
    manual_resume: z.boolean(),
    methods: z.enum(['', 'POST']),
    channels: z.string(),
    start_kw: keywords,
    success_kw: keywords,
    failure_kw: keywords,
    ...filters,
    subject: keywords,
    subject_fail: keywords,
    api_key: z.string(),
  })
  .partial()
  .meta({ id: 'CheckUpdate' });
export type CheckUpdate = z.output<typeof checkUpdateSchema>;

/**
 * Parameters of a creation: those of an update, `unique`, the fields of an upsert, and `import_last_ping`, the last ping
 * that the check had elsewhere, so that it is expected from then on.
 */
export const checkCreateSchema = checkUpdateSchema
  .extend({
    unique: z.array(z.enum(uniqueFields)).optional(),
    import_last_ping: moment.optional(),
  })
  .meta({ id: 'CheckCreate' });
export type CheckCreate = z.output<typeof checkCreateSchema>;

const asSeen = z.union([checkSchema, readOnlyCheckSchema]);
// a body that may contain a key may also be empty
const keyOnly = { kind: 'raw', schema: z.object({ api_key: z.string().optional() }) } as const;

/** Operations on checks; the service validates the bodies, since the error texts are exact. */
export const checksContract = {
  listChecks: endpoint({
    method: 'GET',
    path: '/checks/',
    documented: true,
    summary: 'List the checks of the project, filtered by slug and tags',
    query: z.object({ slug: queryText, tag: queryText }),
    responses: { 200: json(z.object({ checks: z.array(asSeen) }), 'Checks') },
    failures: [401],
  }),
  getCheck: endpoint({
    method: 'GET',
    path: '/checks/{id}',
    documented: true,
    summary: 'Show a check by uuid or unique key',
    params: byCheck,
    responses: { 200: json(asSeen, 'The check') },
    failures: [401, 403, 404],
  }),
  createCheck: endpoint({
    method: 'POST',
    path: '/checks/',
    documented: true,
    summary: 'Create a check, or update the one that matches in the fields of unique',
    body: { kind: 'raw', schema: checkCreateSchema },
    responses: {
      200: json(checkSchema, 'The existing check as updated'),
      201: json(checkSchema, 'The new check'),
    },
    failures: [400, 401, 403],
  }),
  updateCheck: endpoint({
    method: 'POST',
    path: '/checks/{id}',
    documented: true,
    summary: 'Update a check',
    params: byCheck,
    body: { kind: 'raw', schema: checkUpdateSchema },
    responses: { 200: json(checkSchema, 'The check as updated') },
    failures: [400, 401, 403, 404],
  }),
  pauseCheck: endpoint({
    method: 'POST',
    path: '/checks/{id}/pause',
    documented: true,
    summary: 'Pause a check',
    params: byCheck,
    body: keyOnly,
    responses: { 200: json(checkSchema, 'The paused check') },
    failures: [400, 401, 403, 404],
  }),
  resumeCheck: endpoint({
    method: 'POST',
    path: '/checks/{id}/resume',
    documented: true,
    summary: 'Resume a paused check',
    params: byCheck,
    body: keyOnly,
    responses: { 200: json(checkSchema, 'The resumed check') },
    failures: [400, 401, 403, 404, 409],
  }),
  deleteCheck: endpoint({
    method: 'DELETE',
    path: '/checks/{id}',
    documented: true,
    summary: 'Delete a check',
    params: byCheck,
    responses: { 200: json(checkSchema, 'The deleted check') },
    failures: [401, 403, 404],
  }),
};
