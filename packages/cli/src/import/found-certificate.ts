import { InvalidInput } from '@certloop/contracts';
import {
  type Certificate,
  certificateLabel,
  describeCertificate,
  formatPem,
  listCommonNames,
  parseCertificate,
  parsePemBlocks,
  pickChain,
} from '@certloop/crypto';
import { isCertificateLabel, pemSections } from './pem-sections.js';

/** A certificate that was found, and where. */
export interface FoundCertificate {
  readonly path: string;
  /** The host name under which it is imported; undefined if it has no host name. */
  readonly fqdn: string | undefined;
  /** All host names and addresses in it. */
  readonly names: readonly string[];
  readonly leaf: Certificate;
  readonly issuer: string;
  readonly sha256: string;
  /** The leaf and its intermediates. */
  readonly pem: string;
}

/** Reason for which a file yields no certificate. */
export class Unusable extends Error {
  /** False for files that are expected beside certificates, such as those of CAs. */
  readonly isFault: boolean;

  /** True if a limit of the command is reached, so that it reads nothing else. */
  readonly isLimit: boolean;

  constructor(reason: string, { isFault = true, isLimit = false } = {}) {
    super(reason);
    this.isFault = isFault;
    this.isLimit = isLimit;
  }
}

/** All certificates of the PEM files, in their order. Throws Unusable for a damaged one, and if there is none. */
export function certificatesOf(files: readonly Buffer[]): Certificate[] {
  const certificates = files.flatMap((bytes) =>
    pemSections(bytes, isCertificateLabel).map(({ line, text }) => {
      try {
        const [block] = parsePemBlocks(text);
        if (block !== undefined) return parseCertificate(block.der);
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
      }
      throw new Unusable(`the certificate at line ${line} is damaged`);
    }),
  );
  if (certificates.length === 0) throw explainNone(files);
  return certificates;
}

function explainNone(files: readonly Buffer[]): Unusable {
  const isEmpty = files.every(({ length }) => length === 0);
  // a SEQUENCE whose length has two octets
  const isDer = files.some((bytes) => bytes[0] === 0x30 && bytes[1] === 0x82);
  if (isEmpty) return new Unusable('it is empty');
  return isDer
    ? new Unusable('it is DER: convert it with openssl x509 -inform DER -in FILE -out FILE.pem')
    : new Unusable('it contains no certificate in PEM', { isFault: false });
}

/** The certificates of servers among those of a file, each with its chain. Throws Unusable if all are those of CAs. */
export function findServerCertificates(
  certificates: readonly Certificate[],
  { path, names, now }: { readonly path: string; readonly names: readonly string[]; readonly now: Date },
): FoundCertificate[] {
  const leaves = certificates.filter(({ isCa }) => !isCa);
  if (leaves.length === 0) throw new Unusable('it contains only certificates of CAs', { isFault: false });
  const authorities = certificates.filter(({ isCa }) => isCa);
  const unique = new Map(leaves.map((leaf) => [leaf.der.toString('latin1'), leaf]));
  return [...unique.values()].map((leaf) => foundOf(leaf, chainOf(leaf, authorities, now), { path, names }));
}

function chainOf(leaf: Certificate, authorities: readonly Certificate[], now: Date): readonly Certificate[] {
  try {
    return pickChain([leaf, ...authorities], (one) => one === leaf, now);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    // as in a bundle of many CAs
    return [leaf];
  }
}

function foundOf(
  leaf: Certificate,
  chain: readonly Certificate[],
  { path, names: known }: { readonly path: string; readonly names: readonly string[] },
): FoundCertificate {
  const { dnsNames, ipAddresses, issuer, fingerprint } = describeCertificate(leaf);
  const hosts = dnsNames.map((name) => name.toLowerCase());
  return {
    path,
    fqdn: primaryName([...known, ...listCommonNames(leaf.subject)], hosts),
    names: [...hosts, ...ipAddresses],
    leaf,
    issuer,
    sha256: fingerprint,
    pem: chain.map(({ der }) => formatPem(certificateLabel, der)).join(''),
  };
}

/** The first of the known names that the certificate has, otherwise its first name. */
export function primaryName(known: readonly string[], hosts: readonly string[]): string | undefined {
  const wanted = known.map((name) => name.toLowerCase());
  return wanted.find((name) => hosts.includes(name)) ?? hosts[0];
}
