import { createHash } from 'node:crypto';
import type { AcmeChallengeType } from '@certloop/contracts';
import { parseIpAddress } from '@certloop/crypto';
import type { Identifier } from './identifiers.js';

/** Who must prove what: the identifier of an authorization, a wildcard without its `*.`. */
export interface AuthorizedIdentifier {
  readonly type: 'dns' | 'ip';
  readonly value: string;
  readonly wildcard: boolean;
}

/** Who must prove what for an identifier of an order (RFC 8555 §7.1.3). */
export function authorizedIdentifier({ type, value }: Identifier): AuthorizedIdentifier {
  const wildcard = value.startsWith('*.');
  return { type, value: wildcard ? value.slice(2) : value, wildcard };
}

/** Proof that must be found at the applicant's. */
export interface Proof {
  readonly identifier: AuthorizedIdentifier;
  readonly token: string;
  readonly keyAuthorization: string;
}

/**
 * Challenges by which control can be proven: a wildcard by dns-01 alone, as CAs do; an address never by
 * dns-01 (RFC 8738 §7).
 */
export function challengeTypesOf({ type, wildcard }: AuthorizedIdentifier): readonly AcmeChallengeType[] {
  if (type === 'ip') return ['http-01', 'tls-alpn-01'];
  return wildcard ? ['dns-01'] : ['http-01', 'dns-01', 'tls-alpn-01'];
}

/** Path that http-01 asks for (RFC 8555 §8.3). */
export const http01Path = (token: string): string => `/.well-known/acme-challenge/${token}`;

/** Whether an answer to http-01 is right; white space at its end does not count (RFC 8555 §8.3). */
export function isHttp01Answer(body: string, keyAuthorization: string): boolean {
  return body.trimEnd() === keyAuthorization;
}

/** Name of the TXT record that dns-01 asks for (RFC 8555 §8.4). */
export const dns01Name = (name: string): string => `_acme-challenge.${name}`;

/** Content of that record. */
export function dns01Value(keyAuthorization: string): string {
  return keyAuthorizationDigest(keyAuthorization).toString('base64url');
}

/** Object identifier of the extension id-pe-acmeIdentifier (RFC 8737 §3). */
export const acmeIdentifierOid = '1.3.6.1.5.5.7.1.31';

/** Octets of that extension's value: an OCTET STRING with the digest. */
export function acmeIdentifierValue(keyAuthorization: string): Buffer {
  // The tag of an OCTET STRING and the length of SHA-256.
  return Buffer.concat([Buffer.of(0x04, 32), keyAuthorizationDigest(keyAuthorization)]);
}

function keyAuthorizationDigest(keyAuthorization: string): Buffer {
  return createHash('sha256').update(keyAuthorization).digest();
}

/** Server name that tls-alpn-01 asks for: the name, or the reverse name of the address (RFC 8738 §6). */
export function tlsAlpn01ServerName({ type, value }: Pick<AuthorizedIdentifier, 'type' | 'value'>): string {
  if (type === 'dns') return value;
  const octets = [...(parseIpAddress(value) ?? [])];
  if (octets.length === 4) return `${octets.reverse().join('.')}.in-addr.arpa`;
  const nibbles = octets.flatMap((octet) => [octet >> 4, octet & 15]).reverse();
  return `${nibbles.map((nibble) => nibble.toString(16)).join('.')}.ip6.arpa`;
}
