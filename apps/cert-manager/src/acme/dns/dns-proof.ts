import { createHash } from 'node:crypto';

/** A TXT record that proves control of a name (RFC 8555 §8.4). */
export interface DnsProof {
  /** Absolute, without the final dot. */
  readonly name: string;
  readonly value: string;
}

/** Name at which CAs query the record; without the star of a wildcard. Lower case, without the final dot. */
export function challengeName(hostname: string): string {
  return `_acme-challenge.${hostname.replace(/^\*\./, '')}`.replace(/\.$/, '').toLowerCase();
}

/** Record for a name; at `alias` if that name contains the records instead. */
export function dnsProof(hostname: string, keyAuthorization: string, alias?: string): DnsProof {
  return {
    name: alias?.replace(/\.$/, '').toLowerCase() ?? challengeName(hostname),
    value: createHash('sha256').update(keyAuthorization).digest('base64url'),
  };
}
