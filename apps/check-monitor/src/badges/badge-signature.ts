import { createHash, createHmac } from 'node:crypto';
import type { BadgeUrls } from '@certloop/contracts';
import { percentEncode } from '../integrations/links/percent-encoding.js';
import { isSameSignature } from '../integrations/links/signed-link.js';
import type { BadgeStates } from './badge-status.js';

/** Stands for all checks of a project in the place of a tag. */
export const allChecks = '*';

const signatureLength = 8;
const twoStates = '-2';

/** Parts of which the address of a badge is made, in addition to the tag. */
export interface BadgeSigner {
  /** Names the project in badge addresses. */
  readonly badgeKey: string;
  /** Secret of the service. */
  readonly secret: string;
}

/**
 * Signature of a tag: 8 characters of Base64url over an HMAC-SHA1 (RFC 2104). Its key is the SHA-1 of the badge key
 * and the secret, so that addresses made by other services of this API family stay good.
 */
export function signTag({ badgeKey, secret }: BadgeSigner, tag: string): string {
  const key = createHash('sha1')
    .update(badgeKey + secret, 'utf8')
    .digest();
  return createHmac('sha1', key).update(tag, 'utf8').digest('base64url').slice(0, signatureLength);
}

/** Whether the first 8 characters of a signature segment sign the tag; what follows them does not matter. */
export function isSigned(signer: BadgeSigner, tag: string, segment: string): boolean {
  return isSameSignature(signTag(signer, tag), segment.slice(0, signatureLength));
}

/** How many states the badge of a signature segment has: two where exactly `-2` follows the signature. */
export function statesOf(segment: string): BadgeStates {
  return segment.length === signatureLength + twoStates.length && segment.endsWith(twoStates) ? 2 : 3;
}

/** Addresses of the badges of a tag, or of all checks. */
export function badgeUrls(siteRoot: string, signer: BadgeSigner, tag: string): BadgeUrls {
  const base = `${siteRoot}/badge/${signer.badgeKey}/${signTag(signer, tag)}`;
  const ofTag = tag === allChecks ? '' : `/${quoteTwice(tag)}`;
  const two = `${base}${twoStates}${ofTag}`;
  const three = `${base}${ofTag}`;
  return {
    svg: `${two}.svg`,
    svg3: `${three}.svg`,
    json: `${two}.json`,
    json3: `${three}.json`,
    shields: `${two}.shields`,
    shields3: `${three}.shields`,
  };
}

const quotedTag = /^[\p{L}\p{N}_%~.-]+$/u;

/**
 * Tag that a path segment names, which HTTP has decoded once already; undefined when it can be no tag. Percent signs
 * that begin no octet stand for themselves, octets that are not UTF-8 become replacement characters.
 */
export function tagOf(segment: string): string | undefined {
  if (!quotedTag.test(segment)) return undefined;
  return segment.replace(/(?:%[0-9a-f]{2})+/gi, (octets) =>
    Buffer.from(octets.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** Twice, since what lies between decodes paths once: a tag may hold a slash. */
function quoteTwice(tag: string): string {
  return percentEncode(percentEncode(tag));
}
