import { type AcmeIdentifier, InvalidInput } from '@certloop/contracts';
import {
  type Csr,
  csrLabels,
  describeCsr,
  describeRsaKey,
  parseCsr,
  parseIpAddress,
  parsePem,
} from '@certloop/crypto';

/** Parts of which an ACME order is made. */
export interface OrderSubject {
  /** The CSR to the byte. */
  readonly csrDer: Buffer;
  /** Names of the CSR, each once, DNS names first. */
  readonly identifiers: readonly AcmeIdentifier[];
}

/**
 * Returns the order for a CSR. Throws InvalidInput for one that ACME CAs refuse: names that are not DNS names or
 * address (RFC 8555 §7.4, RFC 8738), a common name that is not among the others, more than 100 names, or a key or a
 * signature algorithm that public CAs do not take.
 */
export function orderSubject(csrPem: string): OrderSubject {
  const csrDer = parsePem(csrPem, csrLabels);
  const csr = parseCsr(csrDer);
  const fault = keyFault(csr) ?? signatureFault(csr) ?? nameFault(csr);
  if (fault !== undefined) {
    throw new InvalidInput(`the CSR cannot be used with ACME: ${fault}`, { code: 'csr_not_fit_for_acme' });
  }
  return { csrDer, identifiers: identifiersOf(csr) };
}

/** Whether two orders are for the same names. */
export function areSameIdentifiers(
  one: readonly AcmeIdentifier[],
  other: readonly AcmeIdentifier[],
): boolean {
  const keys = (identifiers: readonly AcmeIdentifier[]) =>
    [...new Set(identifiers.map(({ type, value }) => `${type} ${value.toLowerCase()}`))].sort().join(' ');
  return keys(one) === keys(other);
}

const maxNames = 100;
const maxCommonNameLength = 64;

function identifiersOf(csr: Csr): AcmeIdentifier[] {
  const { commonNames, dnsNames, ipAddresses } = describeCsr(csr);
  const names = new Set([...dnsNames, ...commonNames].map((name) => name.toLowerCase()));
  const addresses = new Set(ipAddresses.map((address) => address.toLowerCase()));
  return [
    ...[...names].filter((name) => !addresses.has(name)).map((value) => ({ type: 'dns', value })),
    ...[...addresses].map((value) => ({ type: 'ip', value })),
  ];
}

function nameFault(csr: Csr): string | undefined {
  const { emailAddresses, uris, directoryNames, otherNames, dnsNames, ipAddresses } = csr.subjectAltNames;
  const stray = [...emailAddresses, ...uris, ...directoryNames, ...otherNames][0];
  if (stray !== undefined) return `it names ${stray}, which is neither a DNS name nor an address`;
  const names = new Set([...dnsNames, ...ipAddresses].map((name) => name.toLowerCase()));
  for (const name of describeCsr(csr).commonNames) {
    if (parseIpAddress(name) !== undefined) return `its common name is an address: ${name}`;
    if (name.length > maxCommonNameLength)
      return `its common name is longer than ${maxCommonNameLength} characters`;
    if (names.size > 0 && !names.has(name.toLowerCase()))
      return `its common name ${name} is not among its names`;
  }
  const { length } = identifiersOf(csr);
  if (length === 0) return 'it has no name';
  return length > maxNames ? `it has ${length} names; CAs allow at most ${maxNames}` : undefined;
}

const rsaBits: readonly number[] = [2048, 3072, 4096];

function keyFault(csr: Csr): string | undefined {
  const { publicKeyAlgorithm, keySize, curve } = describeCsr(csr);
  if (publicKeyAlgorithm === 'ECDSA') {
    return curve === 'P-256' || curve === 'P-384'
      ? undefined
      : `its key is on ${curve ?? 'an unknown curve'}`;
  }
  if (publicKeyAlgorithm !== 'RSA') return `its key is of the kind ${publicKeyAlgorithm}`;
  if (!rsaBits.includes(keySize)) return `its RSA key has ${keySize} bits, not 2048, 3072 or 4096`;
  const rsa = describeRsaKey(csr.spkiDer);
  if (rsa?.exponent !== 65_537n) return 'its RSA key has another exponent than 65537';
  return rsa.weakness === undefined ? undefined : `its RSA key is weak: ${rsa.weakness}`;
}

function signatureFault(csr: Csr): string | undefined {
  const { name } = csr.signatureAlgorithm;
  return /sha-?(256|384|512)/i.test(name) && /rsa|ecdsa/i.test(name)
    ? undefined
    : `it is signed with ${name}`;
}
