import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';

export const healthSchema = z
  .object({
    status: z.string(),
    message: z.string(),
    time: scalars.instant,
    version: z.string().optional().describe('version of the service, as the changelog names it'),
    clock: z
      .string()
      .optional()
      .describe('how the clocks differ, once they do; status does not depend on it (only in /health/ready)'),
    monitor: z
      .object({ answers: z.boolean(), since: scalars.instant })
      .optional()
      .describe(
        'whether the monitor answers this process, and since when, once it was called; status does not depend on it',
      ),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof healthSchema>;

/** Whether people are notified of what the monitor sees. */
export const watchStates = ['not_watched', 'unknown', 'no_one', 'failing', 'notified'] as const;
export type WatchState = (typeof watchStates)[number];

export const watchSchema = z
  .object({
    state: z.enum(watchStates),
    /** The state in a sentence, with what to do. */
    message: z.string(),
    monitor: z
      .object({ answers: z.boolean(), since: scalars.instant })
      .optional()
      .describe('whether the monitor answers this process, and since when; absent before the first call'),
    /** State of the integrations of the project, by the monitor; absent where it does not say. */
    alerts: z
      .object({
        /** Integrations that are enabled and able to send; those that fail are among them. */
        canSend: z.int(),
        failing: z.int(),
        checks: z.int(),
        /** Checks of the watch to which no integration that can send is assigned. */
        checksWithoutIntegration: z.int(),
        /** When one of them last delivered a message or a test; absent when none has. */
        lastDeliveredAt: scalars.instant.optional(),
      })
      .optional(),
    /** Page of the integrations in the monitor's console, where the address for browsers is set. */
    integrationsUrl: z.string().optional(),
  })
  .meta({ id: 'Watch' });
export type Watch = z.output<typeof watchSchema>;

/** Counts of what the caller may see. */
export const statsSchema = z
  .object({
    spaces: z.int(),
    fqdns: z.int(),
    csrs: z.int(),
    /** The rest with detail=true only. */
    certificates: z.int().optional(),
    /** Certificates in service, the newest of their FQDNs, that expire within so many days; expired ones are not among them. */
    expiringWithin7Days: z.int().optional(),
    expiringWithin30Days: z.int().optional(),
    /** Failed entries of the renewal queue. */
    failedRenewals: z.int().optional(),
    /** Certificates by the name of the provider that issued them. */
    certificatesByProvider: z.record(z.string(), z.int()).optional(),
    /** CSRs by the algorithm of their key. */
    csrsByAlgorithm: z.record(z.string(), z.int()).optional(),
  })
  .meta({ id: 'Stats' });
export type Stats = z.output<typeof statsSchema>;

export const systemContract = {
  getHealth: endpoint({
    method: 'GET',
    path: '/health',
    documented: true,
    summary: 'Report whether the service works',
    public: true,
    responses: { 200: json(healthSchema, 'The service works') },
    failures: [],
  }),
  getLiveness: endpoint({
    method: 'GET',
    path: '/health/live',
    summary: 'Report whether the process runs',
    public: true,
    responses: { 200: json(healthSchema, 'The process runs') },
    failures: [],
  }),
  getReadiness: endpoint({
    method: 'GET',
    path: '/health/ready',
    summary: 'Report whether requests are accepted: the database responds and the service is not stopping',
    public: true,
    responses: { 200: json(healthSchema, 'Requests are accepted') },
    failures: [503],
  }),
  getOpenApi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Show this description of the API',
    public: true,
    responses: { 200: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1 document') },
    failures: [],
  }),
  getWatch: endpoint({
    method: 'GET',
    path: '/watch',
    summary: 'Report whether the monitor answers, and whether people are notified of what it sees',
    responses: { 200: json(watchSchema, 'The state of the watch') },
    failures: [401],
  }),
  getStats: endpoint({
    method: 'GET',
    path: '/stats',
    documented: true,
    summary: 'Count spaces, FQDNs and CSRs, with detail=true also certificates and renewals by their results',
    query: z.object({ detail: scalars.queryFlag }),
    responses: { 200: json(statsSchema, 'Counts') },
    failures: [400, 401],
  }),
};
