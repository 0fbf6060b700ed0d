import { createHmac } from 'node:crypto';
import { isSameSignature, type LinkSigner } from './signed-link.js';

/** Check that a link to its page names. */
export interface CloakedCheck {
  readonly uuid: string;
  readonly uniqueKey: string;
}

/**
 * Address of the page of a check. The unique key is not a secret, so a signature of the uuid opens the page: 22 characters
 * of Base64url, the first 132 bits of HMAC-SHA-256. The link does not expire: alerts are read years later.
 */
export function cloakedLink({ siteRoot, secret }: LinkSigner, check: CloakedCheck): string {
  return `${siteRoot}/cloaked/${check.uniqueKey}/?s=${sign(secret, `cloaked ${check.uuid}`)}`;
}

/** Address in a test message: the check of a test does not exist, so the link names only itself. */
export function cloakedTestLink({ siteRoot, secret }: LinkSigner, uniqueKey: string): string {
  return `${siteRoot}/cloaked/${uniqueKey}/?s=${sign(secret, `cloaked-test ${uniqueKey}`)}`;
}

/** Whether a text can be a signature at all; any other text is refused before the database is asked. */
export function looksLikeCloakedSignature(text: string): boolean {
  return /^[A-Za-z0-9_-]{22}$/.test(text);
}

/** Whether the signature opens the page of the check with that uuid. */
export function opensCloaked(secret: string, uuid: string, signature: string): boolean {
  return isSameSignature(sign(secret, `cloaked ${uuid}`), signature);
}

/** Whether the signature is that of a test message. */
export function opensCloakedTest(secret: string, uniqueKey: string, signature: string): boolean {
  return isSameSignature(sign(secret, `cloaked-test ${uniqueKey}`), signature);
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text, 'utf8').digest('base64url').slice(0, 22);
}
