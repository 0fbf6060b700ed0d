import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signed link lets its holder do to a channel, without signing in. */
export const linkPurposes = ['unsub', 'verify'] as const;
export type LinkPurpose = (typeof linkPurposes)[number];

/** What links are made with: address of the service without a trailing slash, and its secret. */
export interface LinkSigner {
  readonly siteRoot: string;
  readonly secret: string;
}

/** Address that does one thing to one channel. It does not grow old: mails are kept for years. */
export function signedLink(signer: LinkSigner, purpose: LinkPurpose, channelUuid: string): string {
  const signature = signLink(signer.secret, purpose, channelUuid);
  return `${signer.siteRoot}/integrations/${channelUuid}/${purpose}/${signature}/`;
}

/** Whether a signature is the one of that link. */
export function isSignedLink(
  secret: string,
  purpose: LinkPurpose,
  channelUuid: string,
  signature: string,
): boolean {
  const given = Buffer.from(signature);
  const right = Buffer.from(signLink(secret, purpose, channelUuid));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** 32 characters of Base64url. */
function signLink(secret: string, purpose: LinkPurpose, channelUuid: string): string {
  const mac = createHmac('sha256', secret).update(`channel-link ${purpose} ${channelUuid}`, 'utf8');
  return mac.digest('base64url').slice(0, 32);
}
