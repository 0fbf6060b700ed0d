import { z } from 'zod';
import { type Document, documentOf, withoutNulls } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

// They belong to the connection, not to the message.
const reserved = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const headerName = z
  .string()
  .regex(token, 'must be the name of a header')
  .max(100)
  .refine((name) => !reserved.has(name.toLowerCase()), 'must not be a header of the connection');

const headerValue = z
  .string()
  .max(1000)
  .regex(/^[^\r\n\0]*$/, 'must be one line');

/** A host with a placeholder can be judged only when there is a message. */
function isCallable(url: string): boolean {
  return /^https?:\/\/\S+$/i.test(url) && (URL.canParse(url) || hasTemplateHost(url));
}

/** Whether the host of an address of a webhook has a placeholder. */
export function hasTemplateHost(url: string): boolean {
  return /^https?:\/\/[^/?#]*\$/i.test(url);
}

const call = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT']).default('GET'),
  /** May hold placeholders. */
  url: z.string().trim().max(1000).refine(isCallable, 'must be an http or https address'),
  /** Sent with POST and PUT only; may hold placeholders. */
  body: z.string().max(1000).default(''),
  headers: z.record(headerName, headerValue).default({}),
});
export type WebhookCall = z.output<typeof call>;

/** Body that says what happened, as JSON. */
const usualBody =
  '{"check": $NAME_JSON, "status": "$STATUS", "at": "$NOW", "exit_status": $EXITSTATUS, "body": $BODY_JSON}';

/** Settings of a webhook that are only an address: a POST for down and for up with a body that says what happened. */
export function webhookByUrl(url: string): object {
  const call = { method: 'POST', url, headers: { 'Content-Type': 'application/json' }, body: usualBody };
  return { down: call, up: call };
}

/** Requests for a check that goes down and for one that comes up; at least one of both. */
export const webhookSettings = z
  .strictObject({ down: call.nullable().default(null), up: call.nullable().default(null) })
  .refine(({ down, up }) => down !== null || up !== null, 'must have an address for down or for up');
export type WebhookSettings = z.output<typeof webhookSettings>;

/** Calls an address of the user's choice. */
export const webhook: Kind = {
  label: 'Webhook',
  settings: webhookSettings,
  secrets: [
    { path: 'down.headers', sentTo: 'down.url' },
    { path: 'up.headers', sentTo: 'up.url' },
  ],
  isForPeople: false,
  hasOpenHost: hasTemplateHost,
  fromHealthchecks: (value) => {
    const document = documentOf(value);
    return { down: callOf(document, 'down'), up: callOf(document, 'up') };
  },
};

/** The call of a direction; null where it has no address. */
function callOf(document: Document, direction: 'down' | 'up'): unknown {
  const url = document[`url_${direction}`];
  if (url === '' || url === undefined) return null;
  const [method, body] = [document[`method_${direction}`], document[`body_${direction}`]];
  return { url, ...withoutNulls({ method, body, headers: document[`headers_${direction}`] }) };
}
