import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where a ping came from. */
export interface Origin {
  readonly remoteAddr: string | null;
  readonly scheme: string;
}

/** Members of a request that show its origin. */
export interface Sender {
  /** Address of the other end of the connection. */
  readonly peer: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly forwardedProto: string | undefined;
}

export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

const maxSchemeLength = 10;

/** Range of `10.0.0.0/8` or of one address. Throws Error when the text is neither. */
export function parseRange(text: string): AddressRange {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Origin of a request. Headers of a proxy count only if its address is in `trusted`; then the first address of
 * X-Forwarded-For is that of the client, and null if it is malformed.
 */
export function originOf(sender: Sender, trusted: readonly AddressRange[]): Origin {
  const peer = sender.peer === undefined ? null : plainPeer(sender.peer);
  if (peer === null || !isWithin(peer, trusted)) return { remoteAddr: peer, scheme: 'http' };
  const { forwardedFor, forwardedProto } = sender;
  return {
    remoteAddr: forwardedFor === undefined ? peer : parseAddress(forwardedFor.split(',')[0] ?? ''),
    scheme: forwardedProto?.slice(0, maxSchemeLength) ?? 'http',
  };
}

/** Address of a peer; a dual-stack socket shows IPv4 peers as IPv6, which is undone. */
function plainPeer(peer: string): string | null {
  const family = isIP(peer);
  if (family === 4) return peer;
  return family === 0 ? null : ipaddr.process(peer).toString();
}

function isWithin(address: string, ranges: readonly AddressRange[]): boolean {
  if (ranges.length === 0) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some(
    (range) => parsed.kind() === range[0].kind() && parsed.match(range as [ipaddr.IPv4, number]),
  );
}

/** An address without brackets, port and zone (RFC 7239 §6); one of IPv4 in the form of IPv6 stays as it is. */
function parseAddress(text: string): string | null {
  const bare = text.trim();
  const [, beforePort, inBrackets] = /^(?:([0-9.]+):[0-9]+|\[([^\]]*)\](?::[0-9]+)?)$/.exec(bare) ?? [];
  const address = (beforePort ?? inBrackets ?? bare).replace(/%.*$/, '').toLowerCase();
  if (isIP(address) === 0) return null;
  if (isIP(address) === 4 || address.includes('.')) return address;
  return ipaddr.IPv6.parse(address).toRFC5952String();
}
