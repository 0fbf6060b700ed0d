import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Network that one holder of addresses controls: an IPv4 address stands for itself, of an IPv6 address the first
 * `ipv6Bits` count, 64 as one host has them (RFC 6177) or 48 as one site may. A text that is not an address is its own
 * network, empty without one.
 */
export function networkOf(address: string, ipv6Bits: 48 | 64 = 64): string {
  if (isIP(address) !== 6) return address;
  // a socket of both families shows IPv4 clients in the form of IPv6
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const octets = parsed.toByteArray().fill(0, ipv6Bits / 8);
  return `${ipaddr.fromByteArray(octets).toString()}/${ipv6Bits}`;
}

/**
 * Address of a client as it is stored; empty when it is unknown or malformed. IPv4 that came in over IPv6 is shown as
 * IPv4; the zone of a link-local address means nothing elsewhere.
 */
export function plainAddress(text: string | undefined): string {
  const address = (text ?? '').replace(/%.*$/, '');
  return isIP(address) === 0 ? '' : ipaddr.process(address).toString();
}
