import { storedNames } from './asked-names.js';

/** Differences between two CSRs. */
export interface CsrDifference {
  readonly key: boolean;
  /** Whether they ask for different names of any kind; order and the case of host names do not count. */
  readonly names: boolean;
}

interface ComparedCsr {
  readonly csrPem: string;
  readonly description: string;
  readonly spkiSha256: string;
}

/** How two CSRs differ, stored or not. */
export function csrDifference(one: ComparedCsr, other: ComparedCsr): CsrDifference {
  return { key: one.spkiSha256 !== other.spkiSha256, names: namesText(one) !== namesText(other) };
}

function namesText(csr: ComparedCsr): string {
  const { commonNames, dnsNames, ipAddresses, emailAddresses, uris, otherNames } = storedNames(csr);
  const hosts = [...commonNames, ...dnsNames].map((name) => name.toLowerCase());
  const names = new Set([...hosts, ...ipAddresses, ...emailAddresses, ...uris, ...otherNames]);
  return JSON.stringify([...names].toSorted());
}
