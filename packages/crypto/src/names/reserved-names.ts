// RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476, and ICANN's reservation of .internal; then suffixes that are usual in
// private networks and not delegated (ICANN resolution 2018.02.04.12, RFC 6762 Appendix G)
const reservedSuffix =
  /(?:^|\.)(?:test|example|invalid|localhost|local|onion|alt|internal|home\.arpa|corp|home|lan|intranet|private|localdomain)$/;
// CA/Browser Forum, ballot SC-086
const reverseZone = /(?:^|\.)(?:in-addr|ip6)\.arpa$/;

/**
 * Whether no public CA certifies a host name in normal form: it ends in a suffix that is not part of the public DNS, or
 * lies in a reverse zone. The documentation names below example.com exist in the DNS, so they are not among these.
 */
export function isReservedName(hostname: string): boolean {
  return reservedSuffix.test(hostname) || reverseZone.test(hostname);
}
