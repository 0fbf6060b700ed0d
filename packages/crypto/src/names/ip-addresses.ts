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
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  // uploads may have thousands of them, and ipaddr.js takes some ten times as long
  if (version === 4) return Buffer.from(text.split('.').map(Number));
  return Buffer.from(ipaddr.parse(text).toByteArray());
}
