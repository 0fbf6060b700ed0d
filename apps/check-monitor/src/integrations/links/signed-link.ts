import { createHmac, timingSafeEqual } from 'node:crypto';

/** Action on a channel that a signed link allows its holder, without signing in. */
export type LinkPurpose = 'unsub' | 'verify';

/** Parts of which links are made: address of the service without a trailing slash, and its secret. */
export interface LinkSigner {
  readonly siteRoot: string;
  readonly secret: string;
}

/** Subject of a link: a channel, and for consent the address that was asked. */
export interface LinkSubject {
  readonly purpose: LinkPurpose;
  readonly channelUuid: string;
  /** A link to agree must not agree for an address that took its place. */
  readonly address?: string;
}

/** Address that does one thing to one channel. It never expires: people keep mails for years. */
export function signedLink({ siteRoot, secret }: LinkSigner, subject: LinkSubject): string {
  const { channelUuid, purpose } = subject;
  return `${siteRoot}/integrations/${channelUuid}/${purpose}/${signLink(secret, subject)}/`;
}

/** Whether a signature is the one of that link. */
export function isSignedLink(secret: string, subject: LinkSubject, signature: string): boolean {
  return isSameSignature(signLink(secret, subject), signature);
}

/** Whether two signatures are the same, in a time that does not show where they differ. */
export function isSameSignature(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** 32 characters of Base64url. */
function signLink(secret: string, { purpose, channelUuid, address = '' }: LinkSubject): string {
  const text = `channel-link ${purpose} ${channelUuid} ${address}`;
  return createHmac('sha256', secret).update(text, 'utf8').digest('base64url').slice(0, 32);
}
