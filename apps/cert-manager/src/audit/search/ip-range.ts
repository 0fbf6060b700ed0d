import ipaddr from 'ipaddr.js';

/** An address as 32 hexadecimal digits, IPv4 as its mapped form (RFC 4291 §2.5.5.2); empty for anything else. */
export function ipKey(address: string): string {
  // the service's own work has none
  if (address === '') return '';
  return ipaddr.isValid(address) ? hexOf(ipaddr.parse(address)) : '';
}

/** First and last key of an address or of a range in CIDR notation. Throws RangeError for anything else. */
export function ipKeyRange(text: string): { readonly first: string; readonly last: string } {
  const [address = '', bits] = text.split('/');
  if (!ipaddr.isValid(address)) throw new RangeError('is neither an address nor a range');
  const parsed = ipaddr.parse(address);
  const key = hexOf(parsed);
  const size = bits === undefined ? 128 : Number(bits) + (parsed.kind() === 'ipv4' ? 96 : 0);
  const hostMask = (1n << BigInt(128 - size)) - 1n;
  const value = BigInt(`0x${key}`);
  return { first: hex(value & ~hostMask), last: hex(value | hostMask) };
}

function hexOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const wide = address.kind() === 'ipv4' ? (address as ipaddr.IPv4).toIPv4MappedAddress() : address;
  return Buffer.from(wide.toByteArray()).toString('hex');
}

function hex(value: bigint): string {
  return value.toString(16).padStart(32, '0');
}
