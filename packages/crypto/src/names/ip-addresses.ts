import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Text of an address of 4 or 16 octets: dotted, or RFC 5952 for version 6; undefined for other lengths. */
export function formatIpAddress(octets: Uint8Array): string | undefined {
  if (octets.length === 4) return octets.join('.');
  if (octets.length !== 16) return undefined;
  const address = new ipaddr.IPv6([...octets]);
  // RFC 5952 §5, which ipaddr.js does not implement
  return address.isIPv4MappedAddress() ? `::ffff:${address.toIPv4Address()}` : address.toRFC5952String();
}

/**
 * The 4 or 16 octets of an address in text; undefined if the text is not an address (one with a zone is not). Node
 * decides what an address is, since ipaddr.js also accepts `0x7f.1`, `127.1` and leading zeros.
 */
export function parseIpAddress(text: string): Buffer | undefined {
  if (text.includes('%') || isIP(text) === 0) return undefined;
  return Buffer.from(ipaddr.parse(text).toByteArray());
}
