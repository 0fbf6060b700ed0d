import { createHash } from 'node:crypto';
import type { HttpMessage } from '../../delivery/http-message.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import { fillTemplate, maxFilledLength, type Place } from './placeholders.js';
import type { WebhookCall } from './webhook-kind.js';

/**
 * Request of a webhook. A repeated delivery with the same content has the same Idempotency-Key, unless the user has one of
 * their own; there is no Content-Type but the user's. Throws FilledTooLong.
 */
export function webhookMessage(call: WebhookCall, event: AlertEvent): HttpMessage {
  const { method, headers } = call;
  let room = maxFilledLength;
  const fill = (template: string, place: Place) => {
    const text = fillTemplate(template, event, place, room);
    room -= text.length;
    return text;
  };
  const own = Object.entries(headers).map(([name, value]) => [name, fill(value, 'header')]);
  const url = fill(call.url, 'url');
  const body = method === 'GET' ? undefined : fill(call.body, 'body');
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  const key = hasKey ? {} : { 'Idempotency-Key': keyOf(event.deliveryId, [method, url, body]) };
  return {
    method,
    url,
    headers: { ...key, ...Object.fromEntries(own) },
    ...(body !== undefined && { body }),
  };
}

/**
 * Content that has changed has another key, as receivers reject two contents under one, or drop the second. Headers do not
 * count, so that a new token does not send a message twice.
 */
function keyOf(deliveryId: string, content: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  return `${deliveryId}-${digest.slice(0, 16)}`;
}
