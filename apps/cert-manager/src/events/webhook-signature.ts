import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

/** Key of a secret `whsec_<base64>`; undefined unless it holds 24 to 64 octets (Standard Webhooks, Signature scheme). */
export function webhookKeyOf(secret: string): Buffer | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : undefined;
  if (text === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** Headers that sign a webhook: one signature for each key, so that a receiver may replace its secret. */
export function signatureHeaders(
  keys: readonly Buffer[],
  { id, sentAt, body }: { readonly id: string; readonly sentAt: Date; readonly body: string },
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(sentAt.getTime() / 1000);
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
