import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import { optionalQueryInteger } from '../scalars.js';
import { queryText } from './replies.js';
import { checkKinds, pingTypes } from './words.js';

// uuids and unique keys count in any case
const id = z.string().toLowerCase();
const ofProject = z.object({ projectId: id });
const ofCheck = ofProject.extend({ checkId: id });
const ofChannel = ofProject.extend({ channelId: id });

/** Meaning of a schedule. `errors` are about what was typed, so they are an answer and no refusal. */
export const schedulePreviewSchema = z
  .object({
    ok: z.boolean(),
    /** The schedule in words; empty where it is not valid. */
    sentence: z.string(),
    next: z.array(
      z.object({
        at: z.string(),
        /** Local time of the zone then. */
        local: z.string(),
        /** Note on what is unusual, such as a local time that comes twice that day. */
        note: z.string().optional(),
      }),
    ),
    errors: z.array(z.object({ field: z.string(), message: z.string() })),
  })
  .meta({ id: 'SchedulePreview' });
export type SchedulePreview = z.output<typeof schedulePreviewSchema>;

/** Why a check is in its state, in a sentence. */
export const diagnosisSchema = z
  .object({
    sentence: z.string(),
    /** The moments in the sentence, each with its text there, so that a page can show them in the zone of its reader. */
    moments: z.array(z.object({ text: z.string(), at: z.string() })).optional(),
    expectedAt: z.string().optional(),
    /** Zone of the schedule. */
    tz: z.string().optional(),
    lateSeconds: z.int().optional(),
    /** A zone in which the latest pings fit the schedule, where they do not in its own. */
    zoneHint: z.object({ tz: z.string(), matches: z.int(), of: z.int() }).optional(),
    /** A cron line that so many of the latest successes follow, where the schedule of the check does not fit them. */
    suggestion: z.object({ schedule: z.string(), tz: z.string(), of: z.int() }).optional(),
  })
  .meta({ id: 'Diagnosis' });
export type Diagnosis = z.output<typeof diagnosisSchema>;

const ping = z.object({
  kind: z.literal('ping'),
  at: z.string(),
  n: z.int(),
  type: z.enum(pingTypes),
  /** Seconds of the run that it ended. */
  duration: z.number().optional(),
  exitStatus: z.int().optional(),
  method: z.string(),
  remoteAddr: z.string().optional(),
  ua: z.string().optional(),
  /** The first 200 characters of its body. */
  preview: z.string().optional(),
});
const flip = z.object({
  kind: z.literal('flip'),
  at: z.string(),
  from: z.string(),
  to: z.string(),
  /** `timeout`, `fail` or nothing. */
  reason: z.string(),
});
const delivery = z.object({
  kind: z.literal('delivery'),
  at: z.string(),
  channelId: z.string(),
  /** Name of the integration, or the label of its kind. */
  channel: z.string(),
  to: z.string(),
  outcome: z.enum(['waiting', 'delivered', 'failed']),
  error: z.string().optional(),
});
export const checkEventSchema = z.discriminatedUnion('kind', [ping, flip, delivery]);
export type CheckEvent = z.output<typeof checkEventSchema>;

/** Durations of runs in seconds. */
export const durationBucketSchema = z.object({
  /** Of the last run in it. */
  at: z.string(),
  min: z.number(),
  p50: z.number(),
  max: z.number(),
  runs: z.int(),
  fails: z.int(),
});
export type DurationBucket = z.output<typeof durationBucketSchema>;

export const downtimesSchema = z
  .object({
    months: z.array(z.object({ month: z.string(), count: z.int(), seconds: z.int() })),
    days: z.array(z.object({ day: z.string(), seconds: z.int() })),
  })
  .meta({ id: 'Downtimes' });
export type Downtimes = z.output<typeof downtimesSchema>;

export const channelKindSchema = z
  .object({
    kind: z.string(),
    label: z.string(),
    /** JSON Schema of the settings. */
    schema: z.looseObject({}),
    /** Paths of settings that are never shown. */
    secrets: z.array(z.string()),
    /** Setting that the operator must set before anything is sent; absent where nothing is missing. */
    missing: z.string().optional(),
  })
  .meta({ id: 'ChannelKindDescription' });
export type ChannelKindDescription = z.output<typeof channelKindSchema>;

export const channelDeliverySchema = z
  .object({
    id: z.int(),
    at: z.string(),
    /** Name of the check; absent for a test and for a notice. */
    check: z.string().optional(),
    status: z.string(),
    attempt: z.int(),
    settledAt: z.string().optional(),
    error: z.string().optional(),
  })
  .meta({ id: 'ChannelDelivery' });
export type ChannelDelivery = z.output<typeof channelDeliverySchema>;

const limit = optionalQueryInteger(1, 100);

/** Operations for what pages show in addition to the checks themselves. */
export const accountConsoleContract = {
  previewSchedule: endpoint({
    method: 'GET',
    path: '/schedule-preview',
    summary: 'Explain a schedule: in words, and the next times at which pings are expected',
    query: z.object({
      kind: z.enum(checkKinds),
      timeout: queryText,
      schedule: queryText,
      tz: queryText,
      grace: queryText,
      count: optionalQueryInteger(1, 10),
    }),
    responses: { 200: json(schedulePreviewSchema, 'What it means, or what is wrong with it') },
    failures: [400, 401],
  }),
  diagnoseCheck: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/diagnosis',
    summary: 'Explain in a sentence why a check is in its state',
    params: ofCheck,
    responses: { 200: json(diagnosisSchema, 'The sentence') },
    failures: [401, 404],
  }),
  listEvents: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/events',
    summary: 'List pings, changes of status and messages of a check together, newest first',
    params: ofCheck,
    query: z.object({
      types: z.string().optional(),
      before: z.string().optional(),
      after: z.string().optional(),
      limit,
    }),
    responses: {
      200: json(
        z.object({ events: z.array(checkEventSchema), next: z.string().optional() }),
        'Events, and the `before` of the next page',
      ),
    },
    failures: [400, 401, 404],
  }),
  getDurations: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/durations',
    summary: 'Show the durations of runs whose pings are stored, oldest first',
    params: ofCheck,
    query: z.object({ points: optionalQueryInteger(1, 300) }),
    responses: { 200: json(z.object({ buckets: z.array(durationBucketSchema) }), 'Durations') },
    failures: [400, 401, 404],
  }),
  getDowntimes: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/checks/{checkId}/downtimes',
    summary: 'Show the downtimes of a check by month and by day, as far as its history is stored',
    params: ofCheck,
    query: z.object({
      months: optionalQueryInteger(1, 3),
      /** That many days up to today; without it those of the months. */
      days: optionalQueryInteger(1, 93),
      tz: z.string().optional(),
    }),
    responses: { 200: json(downtimesSchema, 'Downtimes, oldest first') },
    failures: [400, 401, 404],
  }),
  listChannelKinds: endpoint({
    method: 'GET',
    path: '/channel-kinds',
    summary: 'List the kinds of integrations with their settings as JSON Schema',
    responses: { 200: json(z.object({ kinds: z.array(channelKindSchema) }), 'Kinds') },
    failures: [401],
  }),
  tryChannel: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/channels/test',
    summary: 'Send a test message by an integration that is not saved; at most 10 a minute',
    params: ofProject,
    body: {
      kind: 'json',
      schema: z.object({ kind: z.string(), name: z.string(), settings: z.looseObject({}) }),
    },
    responses: {
      200: json(
        z.object({ ok: z.boolean(), error: z.string(), durationMs: z.int() }),
        'What became of it; nothing is stored',
      ),
    },
    failures: [400, 401, 403, 404, 429],
  }),
  listDeliveries: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/channels/{channelId}/deliveries',
    summary: 'List the messages of an integration, newest first',
    params: ofChannel,
    query: z.object({ before: optionalQueryInteger(1, 999_999_999_999_999), limit }),
    responses: {
      200: json(z.object({ deliveries: z.array(channelDeliverySchema) }), 'Messages'),
    },
    failures: [400, 401, 404],
  }),
};
