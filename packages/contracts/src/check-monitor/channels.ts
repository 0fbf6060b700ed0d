import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';

/** One way in which changes of status are sent. */
export const integrationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.string(),
    /** Since when no message has arrived; absent while they arrive. This and what follows: only with `include=state`. */
    failing_since: z.string().optional(),
    /** Until when nothing is sent, as the target limits its rate or does not answer; absent when nothing is held back. */
    held_until: z.string().optional(),
    /** When the integration was switched off, as its target is gone; absent while it is on. */
    disabled_at: z.string().optional(),
    /** Why nothing can be sent, such as a mail address that is not verified, or for a group that none of its members can; absent where nothing is known. */
    cannot_send: z.string().optional(),
    /** When a message or a test last arrived, sent with the present settings; absent when none has. */
    last_delivered_at: z.string().optional(),
  })
  .meta({ id: 'Integration' });
export type Integration = z.output<typeof integrationSchema>;

export const channelsContract = {
  listChannels: endpoint({
    method: 'GET',
    path: '/channels/',
    documented: true,
    summary: 'List the integrations of the project',
    // any other value is ignored, as Healthchecks ignores queries here
    query: z.object({ include: z.string().optional() }),
    responses: { 200: json(z.object({ channels: z.array(integrationSchema) }), 'Integrations') },
    failures: [401],
  }),
  testIntegration: endpoint({
    method: 'POST',
    path: '/channels/{id}/test',
    summary: 'Send a test message by an integration',
    params: z.object({ id: z.string() }),
    body: { kind: 'raw', schema: z.object({ api_key: z.string().optional() }) },
    responses: { 200: json(z.object({ ok: z.boolean(), error: z.string() }), 'What became of it') },
    failures: [400, 401, 404],
  }),
};
