import type { HttpMessage } from '../../delivery/http-message.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import { fillTemplate, maxFilledLength, type Place } from './placeholders.js';
import type { WebhookCall } from './webhook-kind.js';

/**
 * Request of a webhook. A repeated delivery carries the same Idempotency-Key, unless the user has one of their own;
 * there is no Content-Type but the user's. Throws FilledTooLong.
 */
export function webhookMessage({ method, url, body, headers }: WebhookCall, event: AlertEvent): HttpMessage {
  let room = maxFilledLength;
  const fill = (template: string, place: Place) => {
    const text = fillTemplate(template, event, place, room);
    room -= text.length;
    return text;
  };
  const own = Object.entries(headers).map(([name, value]) => [name, fill(value, 'header')]);
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  return {
    method,
    url: fill(url, 'url'),
    headers: { ...(hasKey ? {} : { 'Idempotency-Key': event.deliveryId }), ...Object.fromEntries(own) },
    ...(method === 'GET' ? {} : { body: fill(body, 'body') }),
  };
}
