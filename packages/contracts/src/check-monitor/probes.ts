import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';

/** Answer to an orchestrator; refusals have the body of every other one. */
export const probeSchema = z
  .object({
    status: z.literal('ok'),
    message: z.string(),
    version: z.string().optional().describe('version of the service, as the changelog names it'),
    clock: z
      .string()
      .optional()
      .describe('how the clocks differ, once they do; status does not depend on it (only in /health/ready)'),
  })
  .meta({ id: 'Probe' });
export type Probe = z.output<typeof probeSchema>;

/** For anyone who runs the service: needs no key. */
export const probesContract = {
  getLiveness: endpoint({
    method: 'GET',
    path: '/health/live',
    summary: 'Report whether the process runs',
    public: true,
    responses: { 200: json(probeSchema, 'The process runs') },
    failures: [],
  }),
  getReadiness: endpoint({
    method: 'GET',
    path: '/health/ready',
    summary: 'Report whether requests are accepted: the database responds and the service is not stopping',
    public: true,
    responses: { 200: json(probeSchema, 'Requests are accepted') },
    failures: [503],
  }),
};
