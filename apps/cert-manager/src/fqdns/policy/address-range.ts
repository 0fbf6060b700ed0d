import { formatIpAddress, parseIpAddress } from '@certloop/crypto';

/** Addresses that have their first bits in common. */
export interface AddressRange {
  /** The first address, 4 or 16 octets. */
  readonly octets: Uint8Array;
  readonly bits: number;
}

/** The range with its normal form, or why the text is not a range and how to write one. */
export type RangeReading =
  | { readonly range: AddressRange; readonly text: string; readonly fault?: never }
  | { readonly fault: string; readonly range?: never };

/**
 * Reads a range such as `10.0.0.0/8` or `2001:db8::/32` (RFC 4632 §3.1, RFC 4291 §2.3) of which no bit after the prefix
 * is set. A range of IPv4-mapped addresses (RFC 4291 §2.5.5.2) is that of the IPv4 addresses.
 */
export function parseRange(text: string): RangeReading {
  const [address = '', prefix] = text.split(/\/(.*)/s);
  const octets = parseIpAddress(address);
  if (octets === undefined) {
    return { fault: 'must be a range of IP addresses, such as 10.0.0.0/8 or 2001:db8::/32' };
  }
  const size = octets.length * 8;
  if (prefix === undefined) return { fault: `must have a prefix; for one address, write ${address}/${size}` };
  const bits = /^(?:0|[1-9]\d{0,2})$/.test(prefix) ? Number(prefix) : Number.POSITIVE_INFINITY;
  if (bits > size) return { fault: `must have a prefix of 0 to ${size} bits` };
  const first = masked(octets, bits);
  if (!first.equals(octets)) {
    return {
      fault: `has bits set after its prefix; write ${formatIpAddress(first)}/${bits} for the whole range`,
    };
  }
  const range = isMapped(octets) ? { octets: octets.subarray(12), bits: bits - 96 } : { octets, bits };
  return { range, text: `${formatIpAddress(range.octets)}/${range.bits}` };
}

/** Octets of an address, those of an IPv4-mapped one as IPv4; undefined for anything that is not an address. */
export function plainOctets(address: string): Uint8Array | undefined {
  const octets = parseIpAddress(address);
  return octets !== undefined && isMapped(octets) ? octets.subarray(12) : octets;
}

/** Whether the range has the address; addresses of one version are in no range of the other. */
export function isWithin(octets: Uint8Array, range: AddressRange): boolean {
  return octets.length === range.octets.length && masked(octets, range.bits).equals(range.octets);
}

/** Whether one of the ranges has an address, found by halving them: a CSR may name thousands of addresses. */
export function createRangeLookup(ranges: readonly AddressRange[]): (octets: Uint8Array) => boolean {
  const bySize = new Map([4, 16].map((size) => [size, outermostOf(ranges, size)]));
  return (octets) => {
    const candidates = bySize.get(octets.length) ?? [];
    let [low, high] = [0, candidates.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const start = candidates[middle]?.octets ?? octets;
      if (Buffer.compare(start, octets) <= 0) low = middle + 1;
      else high = middle;
    }
    const nearest = candidates[low - 1];
    return nearest !== undefined && isWithin(octets, nearest);
  };
}

/** Ranges of addresses of `size` octets by their first address, without those that lie in another. */
function outermostOf(ranges: readonly AddressRange[], size: number): AddressRange[] {
  const sorted = ranges
    .filter(({ octets }) => octets.length === size)
    .sort((one, other) => Buffer.compare(one.octets, other.octets) || one.bits - other.bits);
  const outermost: AddressRange[] = [];
  for (const range of sorted) {
    const last = outermost.at(-1);
    // two ranges either share no address, or the one that comes first has all addresses of the other
    if (last === undefined || !isWithin(range.octets, last)) outermost.push(range);
  }
  return outermost;
}

function masked(octets: Uint8Array, bits: number): Buffer {
  return Buffer.from(
    octets.map((octet, index) => octet & (0xff00 >> Math.min(8, Math.max(0, bits - index * 8)))),
  );
}

const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex');

function isMapped(octets: Uint8Array): boolean {
  return octets.length === 16 && mappedPrefix.equals(octets.subarray(0, 12));
}
