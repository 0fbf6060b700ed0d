import ipaddr from 'ipaddr.js';

type Range = ReturnType<ipaddr.IPv4['range']> | ReturnType<ipaddr.IPv6['range']>;

// Metadata services of cloud providers that lie outside the link-local ranges.
const metadataAddresses: ReadonlySet<string> = new Set([
  // Amazon: metadata, time, names
  'fd00:ec2::254',
  'fd00:ec2::123',
  'fd00:ec2::253',
  'fd00:ec2::23',
  // Alibaba
  '100.100.100.200',
  // Azure
  '168.63.129.16',
  // Google
  'fd20:ce::254',
]);

const privateRanges: ReadonlySet<Range> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'carrierGradeNat',
] as const);

/**
 * Why a connection to an IP address is refused, or undefined when it may be made. Public unicast addresses
 * are free; private, unique-local, carrier-grade and loopback ones only with `allowPrivate`; link-local and
 * metadata, unspecified, multicast, broadcast and reserved ones never. An IPv6 address that embeds an IPv4
 * one (RFC 4291 §2.5.5, RFC 6052 §2.1, RFC 3056) is judged by that one, and by both where routers may use either
 * (ISATAP, RFC 5214 §6.1).
 */
export function refusalOfAddress(
  address: string,
  { allowPrivate }: { allowPrivate: boolean },
): string | undefined {
  if (!ipaddr.isValid(address)) return 'is not an IP address';
  const parsed = embeddedAddress(ipaddr.parse(address));
  const tunnelled = isatapAddress(parsed);
  return refusalOf(parsed, allowPrivate) ?? (tunnelled && refusalOf(tunnelled, allowPrivate));
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function refusalOf(parsed: Address, allowPrivate: boolean): string | undefined {
  if (metadataAddresses.has(parsed.toString())) return 'is an address of a metadata service';
  const range = parsed.range();
  if (range === 'unicast') return undefined;
  if (privateRanges.has(range)) return allowPrivate ? undefined : 'is a private or loopback address';
  return `is a ${readableRange(range)} address`;
}

/** The IPv4 address at the end of an interface identifier of ISATAP, in any network. */
function isatapAddress(address: Address): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  const octets = address.toByteArray();
  const mark = Buffer.from(octets.slice(8, 12)).toString('hex');
  return /^0[02]005efe$/.test(mark) ? new ipaddr.IPv4(octets.slice(12)) : undefined;
}

function embeddedAddress(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  const octets = address.toByteArray();
  const range = address.range();
  if (range === 'rfc6052') return new ipaddr.IPv4(octets.slice(12));
  // IPv4-compatible (RFC 4291 §2.5.5.1): deprecated, but some networks still route it. `::` and `::1` have ranges of their own.
  if (range === 'unicast' && octets.slice(0, 12).every((octet) => octet === 0)) {
    return new ipaddr.IPv4(octets.slice(12));
  }
  if (range === '6to4') return new ipaddr.IPv4(octets.slice(2, 6));
  return address;
}

function readableRange(range: Range): string {
  return range.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
}
