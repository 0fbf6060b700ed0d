import { createHash, createHmac } from 'node:crypto';
import { isSameSignature, type LinkSubject } from './signed-link.js';

/**
 * Whether a signature is that of a link to unsubscribe in a mail of Healthchecks: the SHA-256 of the channel's uuid and
 * the secret, the time, and an HMAC-SHA256 over both, with colons between them. The time does not matter, since people
 * keep mails for years. Its links to agree are not accepted: they do not name the address, which may have changed.
 */
export function isFormerUnsubscribeLink(
  secret: string | undefined,
  { purpose, channelUuid }: LinkSubject,
  signature: string,
): boolean {
  const end = signature.lastIndexOf(':');
  if (secret === undefined || purpose !== 'unsub' || end < 0) return false;
  const signed = signature.slice(0, end);
  const key = createHash('sha256').update(`alertssigner${secret}`, 'utf8').digest();
  const token = createHash('sha256')
    .update(channelUuid + secret, 'utf8')
    .digest('hex');
  const right = createHmac('sha256', key).update(signed, 'utf8').digest('base64url');
  return (
    isSameSignature(signature.slice(end + 1), right) &&
    isSameSignature(signed.slice(0, signed.lastIndexOf(':')), token)
  );
}
