import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';

export const healthSchema = z
  .object({
    status: z.string(),
    message: z.string(),
    time: scalars.instant,
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof healthSchema>;

/** Counts of what the caller may see. */
export const statsSchema = z.object({ spaces: z.int(), fqdns: z.int(), csrs: z.int() }).meta({ id: 'Stats' });
export type Stats = z.output<typeof statsSchema>;

export const systemContract = {
  getHealth: endpoint({
    method: 'GET',
    path: '/health',
    summary: 'Tell whether the service works',
    public: true,
    responses: { 200: json(healthSchema, 'The service works') },
    failures: [],
  }),
  getLiveness: endpoint({
    method: 'GET',
    path: '/health/live',
    summary: 'Tell whether the process runs',
    public: true,
    responses: { 200: json(healthSchema, 'The process runs') },
    failures: [],
  }),
  getReadiness: endpoint({
    method: 'GET',
    path: '/health/ready',
    summary: 'Tell whether requests are taken: the database answers and the service is not stopping',
    public: true,
    responses: { 200: json(healthSchema, 'Requests are taken') },
    failures: [503],
  }),
  getOpenApi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    public: true,
    responses: { 200: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1 document') },
    failures: [],
  }),
  getStats: endpoint({
    method: 'GET',
    path: '/stats',
    summary: 'Count spaces, FQDNs and CSRs',
    responses: { 200: json(statsSchema, 'Counts') },
    failures: [401],
  }),
};
