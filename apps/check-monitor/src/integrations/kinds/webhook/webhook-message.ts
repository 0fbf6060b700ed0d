import type { HttpMessage } from '../../delivery/http-message.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import { fillTemplate } from './placeholders.js';
import type { WebhookCall } from './webhook-kind.js';

/**
 * Request of a webhook. A repeated delivery carries the same Idempotency-Key, unless the user has one of their own;
 * there is no Content-Type but the user's.
 */
export function webhookMessage({ method, url, body, headers }: WebhookCall, event: AlertEvent): HttpMessage {
  const own = Object.entries(headers).map(([name, value]) => [name, fillTemplate(value, event, 'header')]);
  const hasKey = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
  return {
    method,
    url: fillTemplate(url, event, 'url'),
    headers: { ...(hasKey ? {} : { 'Idempotency-Key': event.deliveryId }), ...Object.fromEntries(own) },
    ...(method === 'GET' ? {} : { body: fillTemplate(body, event, 'body') }),
  };
}
