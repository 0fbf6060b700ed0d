import type { CsrFinding } from '@certloop/contracts';
import { type CsrFacts, joinNames } from './csr-policy.js';
import { coversHostname, readHostname } from './hostname.js';

/** Returns what the holder of a CSR should know of it, though it is no reason to refuse it. */
export function csrFindings(csr: CsrFacts, hostname: string): CsrFinding[] {
  return findingRules.flatMap(([code, find]) => {
    const message = find(csr, hostname);
    return message === undefined ? [] : [{ code, message }];
  });
}

type FindingRule = (csr: CsrFacts, hostname: string) => string | undefined;

const findingRules: readonly (readonly [string, FindingRule])[] = [
  [
    'version_not_0',
    ({ version }) =>
      version === 0
        ? undefined
        : `its version is ${version}; RFC 2986 allows 0 alone, and some CAs refuse others`,
  ],
  [
    'weak_signature',
    ({ signatureAlgorithm }) =>
      /md5|sha-?1(?!\d)/i.test(signatureAlgorithm)
        ? `it is signed with ${signatureAlgorithm}, which most authorities refuse`
        : undefined,
  ],
  [
    'small_exponent',
    ({ rsa }) =>
      rsa !== undefined && rsa.exponent < 65_537n
        ? `its RSA key has the exponent ${rsa.exponent}; public authorities accept 65537 alone`
        : undefined,
  ],
  [
    'no_subject_alt_name',
    ({ hasSubjectAltName }) =>
      hasSubjectAltName ? undefined : 'it names the host only as common name, which browsers ignore',
  ],
  [
    'more_names',
    (csr, hostname) => {
      const more = namesBeyond(csr, hostname);
      return more.length === 0 ? undefined : `it also asks for ${joinNames(more)}`;
    },
  ],
  [
    'invalid_names',
    ({ dnsNames }) => {
      const faults = dnsNames.flatMap(nameFault);
      return faults.length === 0 ? undefined : `its DNS names have faults: ${joinNames(faults)}`;
    },
  ],
  [
    'too_many_names',
    (csr) => {
      const { length } = allNames(csr);
      return length > 100 ? `it asks for ${length} names; authorities allow at most 100` : undefined;
    },
  ],
  [
    'common_name_not_in_sans',
    (csr) => {
      const stray = commonNamesOutside(csr);
      return stray.length === 0
        ? undefined
        : `its common name ${joinNames(stray)} is not among its DNS names`;
    },
  ],
  [
    'unusual_extensions',
    ({ extensions }) => {
      const unusual = extensions.map(({ oid }) => oid).filter((oid) => !usualExtensions.has(oid));
      return unusual.length === 0 ? undefined : `it asks for unusual extensions: ${joinNames(unusual)}`;
    },
  ],
  [
    'ca_requested',
    ({ extensions }) =>
      extensions.some(({ purposes }) => purposes.includes('Certificate Authority'))
        ? 'it asks to become a certificate authority, which is not granted'
        : undefined,
  ],
];

// RFC 5280 §4.2.1: subject key identifier, key usage, alternative name, basic constraints, extended key
// usage; RFC 7633: TLS feature ("must staple").
const usualExtensions: ReadonlySet<string> = new Set([
  '2.5.29.14',
  '2.5.29.15',
  '2.5.29.17',
  '2.5.29.19',
  '2.5.29.37',
  '1.3.6.1.5.5.7.1.24',
]);

function allNames({ dnsNames, ipAddresses, emailAddresses, uris }: CsrFacts): string[] {
  return [...dnsNames, ...ipAddresses, ...emailAddresses, ...uris];
}

function nameFault(name: string): string[] {
  const { fault } = readHostname(name);
  return fault === undefined ? [] : [`${JSON.stringify(name.slice(0, 80))} ${fault}`];
}

function namesBeyond(csr: CsrFacts, hostname: string): string[] {
  return allNames(csr).filter((name) => !coversHostname(name.toLowerCase(), hostname));
}

function commonNamesOutside({ hasSubjectAltName, commonNames, dnsNames, ipAddresses }: CsrFacts): string[] {
  const names = new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()));
  return hasSubjectAltName ? commonNames.filter((name) => !names.has(name.toLowerCase())) : [];
}
