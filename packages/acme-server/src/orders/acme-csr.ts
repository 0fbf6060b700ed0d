import type { KeyObject } from 'node:crypto';
import { orProblem } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import {
  type Csr,
  describeCsr,
  type Extension,
  exportSpki,
  listCommonNames,
  parseCsr,
  publicKeysEqual,
} from '@certloop/crypto';
import { type Identifier, identifierKey, normalAddress } from '../records/identifiers.js';

/** A CSR that may be issued for. */
export interface AcmeCsr {
  readonly csr: Csr;
  /**
   * Common name of the CSR, spelt as the order has it (CA/Browser Forum BR 7.1.4.3); undefined when the CSR has none, or
   * one that is too long for a certificate.
   */
  readonly commonName: string | undefined;
  /**
   * Extensions that are taken over in addition to names and key: the TLS feature `status_request` (RFC 7633), nothing
   * else.
   */
  readonly extensions: readonly Extension[];
}

// RFC 5280, Appendix A.1 (ub-common-name); a host name may be longer, and stands in the subjectAltName anyway.
const maxOfCommonName = 64;

/**
 * The CSR of a finalize request, its signature unchecked. Throws `malformed` for anything that is not base64url and `badCSR`
 * when it is not a CSR, its identifiers are not exactly those of the order, or its key is the account's
 * (RFC 8555 §7.4, §11.1) or too weak. As public CAs do, it also refuses an address as common name and another hash than
 * SHA-256, SHA-384 or SHA-512.
 */
export function parseAcmeCsr(
  text: string,
  identifiers: readonly Identifier[],
  accountKey: KeyObject,
): AcmeCsr {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new AcmeProblem('malformed', 'csr is not in base64url');
  const csr = orProblem('badCSR', () => parseCsr(Buffer.from(text, 'base64url')));
  requireSameIdentifiers(csr, identifiers);
  requireAcceptedKey(csr, accountKey);
  requireAcceptedHash(csr);
  const [commonName] = listCommonNames(csr.subject)
    .filter(({ length }) => length <= maxOfCommonName)
    .map((name) => spellingOf(name, identifiers));
  return { csr, commonName, extensions: csr.extensions.filter(isMustStaple) };
}

function requireSameIdentifiers(csr: Csr, identifiers: readonly Identifier[]): void {
  const { dnsNames, ipAddresses, emailAddresses, uris, directoryNames, otherNames } = csr.subjectAltNames;
  if ([emailAddresses, uris, directoryNames, otherNames].some((names) => names.length > 0)) {
    throw badCsr('the CSR has names of other kinds than host names and addresses');
  }
  const [address] = listCommonNames(csr.subject).filter((name) => normalAddress(name) !== undefined);
  if (address !== undefined) {
    throw badCsr(
      `the common name ${address} of the CSR is an address; request it only in the subjectAltName`,
    );
  }
  const ordered = new Set(identifiers.map(identifierKey));
  const asked = new Set([
    ...dnsNames.map((name) => `dns:${name.toLowerCase()}`),
    ...ipAddresses.map((address) => `ip:${address}`),
    ...listCommonNames(csr.subject).map((name) => `dns:${name.toLowerCase()}`),
  ]);
  const beyond = [...asked].filter((key) => !ordered.has(key));
  if (beyond.length > 0) throw badCsr(`the CSR has names that the order does not have: ${shortList(beyond)}`);
  const lacking = [...ordered].filter((key) => !asked.has(key));
  if (lacking.length > 0) throw badCsr(`the CSR lacks names of the order: ${shortList(lacking)}`);
}

function spellingOf(name: string, identifiers: readonly Identifier[]): string {
  const key = `dns:${name.toLowerCase()}`;
  return identifiers.find((identifier) => identifierKey(identifier) === key)?.value ?? name;
}

const acceptedHashes: readonly string[] = ['sha256', 'sha384', 'sha512'];

function requireAcceptedHash({ signatureAlgorithm: { name, scheme } }: Csr): void {
  if (scheme.kind === 'eddsa' || scheme.kind === 'unsupported' || acceptedHashes.includes(scheme.hash))
    return;
  throw badCsr(`the CSR is signed with ${name}; sign it with SHA-256, SHA-384 or SHA-512`);
}

const minRsaBits = 2048;
const acceptedKeys: readonly string[] = ['RSA', 'ECDSA', 'Ed25519'];
const acceptedCurves: readonly string[] = ['P-256', 'P-384', 'P-521'];

function requireAcceptedKey(csr: Csr, accountKey: KeyObject): void {
  const { publicKeyAlgorithm: algorithm, keySize, curve } = describeCsr(csr);
  const isAccepted =
    acceptedKeys.includes(algorithm) &&
    (algorithm !== 'RSA' || keySize >= minRsaBits) &&
    (algorithm !== 'ECDSA' || acceptedCurves.includes(curve ?? ''));
  if (!isAccepted) throw badCsr(`the key of the CSR, ${algorithm} with ${keySize} bits, is not accepted`);
  if (publicKeysEqual(csr.spkiDer, exportSpki(accountKey))) {
    throw badCsr('the key of the CSR is that of the account');
  }
}

const tlsFeatureOid = '1.3.6.1.5.5.7.1.24';
// A SEQUENCE of the one INTEGER 5, status_request.
const mustStaple = Buffer.of(0x30, 3, 2, 1, 5);

const isMustStaple = ({ oid, value }: Extension): boolean =>
  oid === tlsFeatureOid && value.equals(mustStaple);

export const badCsr = (detail: string): AcmeProblem => new AcmeProblem('badCSR', detail);

const shortList = (keys: readonly string[]): string =>
  keys
    .slice(0, 5)
    .map((key) => JSON.stringify(key.slice(0, 80)))
    .join(', ');
