import { createHmac, timingSafeEqual } from 'node:crypto';

/** Parts of which envelope senders are made: where mail that comes back goes, and the secret of the service. */
export interface BounceSigner {
  readonly domain: string;
  readonly secret: string;
}

/** Envelope sender of a mail, which says which delivery came back; its mailbox has 55 of 64 octets (RFC 5321 §4.5.3.1.1). */
export function bounceAddress({ domain, secret }: BounceSigner, deliveryId: string): string {
  return `n.${deliveryId}.${sign(secret, deliveryId)}@${domain}`;
}

/** Delivery that a mailbox names; undefined when it is none of ours. Mail servers may change the case of letters. */
export function deliveryOf(secret: string, mailbox: string): string | undefined {
  const [, deliveryId, signature] = mailboxForm.exec(mailbox.toLowerCase()) ?? [];
  if (deliveryId === undefined || signature === undefined) return undefined;
  const isOurs = timingSafeEqual(Buffer.from(signature), Buffer.from(sign(secret, deliveryId)));
  return isOurs ? deliveryId : undefined;
}

const mailboxForm = /^n\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{16})$/;

/** 16 hex digits. */
function sign(secret: string, deliveryId: string): string {
  return createHmac('sha256', secret).update(`bounce ${deliveryId}`, 'utf8').digest('hex').slice(0, 16);
}
