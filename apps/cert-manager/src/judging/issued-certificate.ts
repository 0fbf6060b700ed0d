import { InvalidInput } from '@certloop/contracts';
import {
  type Certificate,
  type Csr,
  certificateLabel,
  checkChain,
  csrLabels,
  describeCertificate,
  describePublicKey,
  findPathFault,
  fingerprint,
  formatName,
  formatPem,
  isIssuedBy,
  listCommonNames,
  orderChain,
  parseCertificate,
  parseCsr,
  parsePem,
  pickChain,
  publicKeysEqual,
  recallCertificate,
  spkiSha256,
  splitChain,
  validityFault,
  verifyLeafSignature,
} from '@certloop/crypto';

/** Chain that a certificate authority issued: the leaf, and all that came with it. */
export interface IssuedChain {
  readonly leaf: Certificate;
  readonly others: readonly Certificate[];
}

/** The certificates of a PEM text as one chain. Throws InvalidInput when they do not form one. */
export function readIssued(text: string): IssuedChain {
  const [leaf, ...others] = orderChain(splitChain(text));
  if (leaf === undefined) throw new RangeError('a chain has a leaf');
  return { leaf, others };
}

/**
 * The chain of the certificate for a key, by its fingerprint, among those that a CA answered; what the chain does not need
 * is dropped, as clients need no more. Throws InvalidInput if there is none.
 */
export function readAnswered(text: string, keySha256: string, now: Date): IssuedChain {
  const certificates = splitChain(text).map(recallCertificate);
  // without a certificate for the key, the first one is named as another's
  const hasKey = ({ spkiDer }: Certificate) => spkiSha256(spkiDer) === keySha256;
  const wanted = certificates.some(hasKey) ? hasKey : () => true;
  const [leaf, ...others] = pickChain(certificates, wanted, now);
  if (leaf === undefined) throw new RangeError('a chain has a leaf');
  return { leaf, others };
}

export function readCsr(csrPem: string): Csr {
  return parseCsr(parsePem(csrPem, csrLabels));
}

/** Fingerprint of the key of a CSR: SHA-256 over its SubjectPublicKeyInfo, hex. */
export function keyOfCsr({ spkiDer }: Csr): string {
  return spkiSha256(spkiDer);
}

/** Why what a CA issued is no certificate of a server, in one sentence. */
export function leafFault({ leaf, others }: IssuedChain): string | undefined {
  if (leaf.isCa) return 'the certificate is that of a CA';
  const isOwnIssuer = leaf.issuerDer.equals(leaf.subjectDer);
  if (!isOwnIssuer || verifyLeafSignature(leaf, others) === 'valid') return undefined;
  return 'the certificate names itself as issuer, but its signature does not verify with its own key';
}

/** Returns a sentence about what a certificate has that its CSR did not ask for: another key or a further name. */
export function differenceFromCsr({ leaf }: IssuedChain, csr: Csr): string | undefined {
  if (!publicKeysEqual(leaf.spkiDer, csr.spkiDer)) return 'the certificate is for another key than the CSR';
  // A common name may be repeated among the alternative names, and the other way round.
  const commonNames = listCommonNames(csr.subject);
  const asked = new Set([...commonNames, ...namesOf(csr)].map(comparable));
  const stray = [...listCommonNames(leaf.subject), ...namesOf(leaf)].find(
    (name) => !asked.has(comparable(name)),
  );
  return stray === undefined ? undefined : `the certificate has a name that the CSR has not: ${stray}`;
}

function namesOf({ subjectAltNames }: Pick<Certificate, 'subjectAltNames'>): string[] {
  return Object.values(subjectAltNames).flat();
}

function comparable(name: string): string {
  return name.toLowerCase();
}

/** Why a certificate that was just issued is useless at `now`; clocks may differ by an hour. */
export function timeFault({ leaf }: IssuedChain, now: Date): string | undefined {
  if (leaf.notAfter < now) return `the certificate expired at ${leaf.notAfter.toISOString()}`;
  if (leaf.notBefore.getTime() <= now.getTime() + 3_600_000) return undefined;
  return `the certificate is not valid before ${leaf.notBefore.toISOString()}`;
}

/**
 * Why TLS clients refuse the chain at `now`, as far as it goes, in one sentence. Roots need no dates, and an expired leaf
 * is judged as of its last moment.
 */
export function findChainFault({ leaf, others }: IssuedChain, now: Date): string | undefined {
  const at = momentWithin(leaf, now);
  const outdated = intermediatesOf(others).flatMap((one) => validityFault(one, at) ?? []);
  try {
    return outdated[0] ?? findPathFault([leaf, ...others]);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** PEM of a chain, or why it does not lead to the root, in one sentence. */
export type RootedChain =
  | { readonly pem: string; readonly fault?: never }
  | { readonly pem?: never; readonly fault: string };

/**
 * PEM of the leaf and its intermediates when they lead to the root. An expired leaf is judged as of its last moment, so
 * that it can still be distinguished from a foreign one.
 */
export function chainToRoot({ leaf, others }: IssuedChain, rootPem: string, now: Date): RootedChain {
  const root = recallCertificate(parsePem(rootPem, [certificateLabel]));
  const check = checkChain(leaf, others, [root], momentWithin(leaf, now));
  if (!check.ok) return { fault: check.reason };
  return { pem: check.chain.map(({ der }) => formatPem(certificateLabel, der)).join('') };
}

/** The moment of the leaf's validity that is nearest to `now`. */
function momentWithin({ notBefore, notAfter }: Certificate, now: Date): Date {
  return new Date(Math.max(notBefore.getTime(), Math.min(now.getTime(), notAfter.getTime())));
}

/** Without roots, which clients have; a new key of an authority, signed with its former one, stays. */
export function intermediatesOf(others: readonly Certificate[]): Certificate[] {
  return others.filter((one) => !isIssuedBy(one, one));
}

/** Whether two PEM texts are the same certificate. Throws InvalidInput for anything else. */
export function isSameCertificate(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parsePem(text, [certificateLabel]));
  return first !== undefined && second !== undefined && first.equals(second);
}

/** Subject of the one certificate of a PEM text (RFC 4514). Throws InvalidInput for anything else. */
export function subjectOf(pem: string): string {
  return describeCertificate(parseCertificate(parsePem(pem, [certificateLabel]))).subject;
}

/** Fingerprint of the key of a certificate: SHA-256 over its SubjectPublicKeyInfo, hex. */
export function keySha256Of({ leaf }: IssuedChain): string {
  return spkiSha256(leaf.spkiDer);
}

/**
 * Returns what identifies the certificate for the key, or else the first one, in the answer of a CA; nothing for other
 * texts.
 */
export function identify(
  text: string,
  keySha256: string | undefined,
): { readonly serialNumber?: string; readonly spkiSha256?: string } {
  try {
    const all = splitChain(text).map(parseCertificate);
    const found = all.find(({ spkiDer }) => spkiSha256(spkiDer) === keySha256) ?? all[0];
    if (found === undefined) return {};
    return { serialNumber: found.serialNumber, spkiSha256: spkiSha256(found.spkiDer) };
  } catch (error) {
    if (error instanceof InvalidInput) return {};
    throw error;
  }
}

/** Facts of a certificate that are stored beside it. */
export interface LeafFacts {
  readonly issuer: string;
  readonly serialNumber: string;
  readonly spkiSha256: string;
  /** SHA-256 over the certificate, hex, which identifies it. */
  readonly leafSha256: string;
  readonly notBefore: Date;
  /** When the leaf or the first of its intermediates ends: no client takes the certificate after that. */
  readonly expiresAt: Date;
  readonly leafExpiresAt: Date;
  /** Kind and size of the key, such as `RSA 2048` or `ECDSA P-256`. */
  readonly keyKind: string;
  /** SHA-256 over the certificate of the issuer, hex; null if it was not sent. */
  readonly authoritySha256: string | null;
}

export function leafFacts({ leaf, others }: IssuedChain): LeafFacts {
  const { serialNumber, notBefore, notAfter: leafExpiresAt } = leaf;
  const ends = [leaf, ...intermediatesOf(others)].map(({ notAfter }) => notAfter.getTime());
  const expiresAt = new Date(Math.min(...ends));
  const issuer = formatName(leaf.issuer);
  const digests = { spkiSha256: spkiSha256(leaf.spkiDer), leafSha256: fingerprint(leaf.der) };
  const dates = { notBefore, expiresAt, leafExpiresAt };
  return { issuer, serialNumber, ...digests, ...dates, ...heritageOf({ leaf, others }) };
}

/** Facts of the key and of the issuer; a certificate that names itself as issuer is its own authority. */
function heritageOf({ leaf, others }: IssuedChain): Pick<LeafFacts, 'keyKind' | 'authoritySha256'> {
  const authority = [leaf, ...others].find(({ subjectDer }) => subjectDer.equals(leaf.issuerDer));
  return {
    keyKind: keyKindOf(leaf),
    authoritySha256: authority === undefined ? null : fingerprint(authority.der),
  };
}

const sizedKeys: ReadonlySet<string> = new Set(['RSA', 'RSA-PSS', 'DSA']);
const plainKeys: ReadonlySet<string> = new Set(['Ed25519', 'Ed448', 'X25519', 'X448']);

/** Kind and size of the key of a certificate; `other` for kinds without a name. */
export function keyKindOf({ spkiDer }: Certificate): string {
  const { algorithm, keySize, curve } = describePublicKey(spkiDer);
  if (sizedKeys.has(algorithm)) return `${algorithm} ${keySize}`;
  if (algorithm === 'ECDSA') return /^[\w-]{1,16}$/.test(curve ?? '') ? `ECDSA ${curve}` : 'ECDSA';
  return plainKeys.has(algorithm) ? algorithm : 'other';
}

/** Facts of the certificate of a PEM text that are stored beside it; the leaf comes first. */
export function describeLeaf(pem: string): LeafFacts {
  const [der, ...others] = splitChain(pem);
  if (der === undefined) throw new RangeError('a chain has a leaf');
  return leafFacts({ leaf: parseCertificate(der), others: others.map(recallCertificate) });
}

/** The common names and DNS names of the leaf of a PEM text; the leaf comes first. */
export function leafHostnames(pem: string): string[] {
  const [der] = splitChain(pem);
  if (der === undefined) throw new RangeError('a chain has a leaf');
  const { subject, subjectAltNames } = parseCertificate(der);
  return [...new Set([...listCommonNames(subject), ...subjectAltNames.dnsNames])];
}
