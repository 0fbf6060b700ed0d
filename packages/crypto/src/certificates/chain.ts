import { InvalidInput } from '@certloop/contracts';
import type { PublicKey } from '../keys/public-keys.js';
import { formatName } from '../names/names.js';
import { type Certificate, isWithinValidity } from './certificate.js';
import { findPathFault, lengthFault, validityFault } from './path-rules.js';
import { isSelfSigned, isSignedBy, recallCertificate } from './verified-signatures.js';

/** A path to a trusted root, or why there is none. */
export type ChainCheck =
  | {
      readonly ok: true;
      /** Leaf first, the root omitted. */
      readonly chain: readonly Certificate[];
      readonly root: Certificate;
    }
  | { readonly ok: false; readonly reason: string };

// Real chains have at most four certificates; the bound keeps a hostile set of look-alikes cheap.
const maxDepth = 8;

const maxCertificates = 16;

/**
 * Whether the issuer made the certificate: its subject is byte for byte the other's issuer, key identifiers do not
 * contradict, it may sign certificates (RFC 5280 §4.2.1.3, §4.2.1.9) and the signature verifies.
 */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  return isNamedIssuer(certificate, issuer) && isSignedBy(certificate, issuer);
}

/**
 * Many times the cost of the signatures of usual chains: some 40 ms on one thread. A check by a key of RSA-2048 is 1.
 */
const maxVerifyingCost = 150;

const tooCostly =
  'too many of its certificates may have issued each other, so it takes too long to verify them';

/** As isIssuedBy, but false after many checks of signatures: look-alikes with large keys would take a third of a second. */
class BoundedIssuance {
  #cost = 0;

  get isTooCostly(): boolean {
    return this.#cost > maxVerifyingCost;
  }

  has(certificate: Certificate, issuer: Certificate): boolean {
    if (!isNamedIssuer(certificate, issuer)) return false;
    this.#cost += verifyingCost(issuer.publicKey);
    return !this.isTooCostly && isSignedBy(certificate, issuer);
  }
}

function verifyingCost(key: PublicKey): number {
  if (key.kind !== 'RSA' && key.kind !== 'RSA-PSS') return 3;
  return (key.modulus.length / 256) * (key.exponent.length > 3 ? 2 : 1);
}

/**
 * The certificates as one chain, leaf first, copies of one dropped; a root among them comes last.
 * Throws InvalidInput (`broken_chain`) when they are no one chain, or `malformed_der`.
 */
export function orderChain(ders: readonly Buffer[]): Certificate[] {
  const certificates = [...new Map(ders.map((der) => [der.toString('latin1'), der])).values()].map(
    recallCertificate,
  );
  if (certificates.length > maxCertificates)
    throw brokenChain(`it has more than ${maxCertificates} certificates`);
  const issuance = new BoundedIssuance();
  const rest = new Set(certificates);
  const leaves = certificates.filter((candidate) =>
    certificates.every((other) => other === candidate || !issuance.has(other, candidate)),
  );
  if (issuance.isTooCostly) throw brokenChain(tooCostly);
  const [leaf, second] = leaves;
  if (leaf === undefined) throw brokenChain('it has no leaf');
  if (second !== undefined) throw brokenChain('its certificates do not belong together');
  const chain: Certificate[] = [];
  for (let next: Certificate | undefined = leaf; next !== undefined; ) {
    const last: Certificate = next;
    chain.push(last);
    rest.delete(last);
    next = [...rest].find((candidate) => issuance.has(last, candidate));
  }
  if (issuance.isTooCostly) throw brokenChain(tooCostly);
  if (rest.size > 0) throw brokenChain('its certificates do not belong together');
  return chain;
}

/**
 * The chain of the certificate that `isLeaf` picks, leaf first; others that it does not need are dropped. Of several
 * issuers, one that is valid at `now` is preferred. Throws InvalidInput (`broken_chain`) if there is none.
 */
export function pickChain(
  certificates: readonly Certificate[],
  isLeaf: (certificate: Certificate) => boolean,
  now: Date,
): Certificate[] {
  if (certificates.length > maxCertificates)
    throw brokenChain(`it has more than ${maxCertificates} certificates`);
  const leaf = certificates.find(isLeaf);
  if (leaf === undefined) throw brokenChain('it has no certificate for the key that was asked for');
  const issuance = new BoundedIssuance();
  const rest = new Set(certificates);
  const chain: Certificate[] = [];
  for (let next: Certificate | undefined = leaf; next !== undefined; ) {
    const last: Certificate = next;
    chain.push(last);
    for (const one of rest) if (one.der.equals(last.der)) rest.delete(one);
    const issuers = [...rest].filter((candidate) => issuance.has(last, candidate));
    next = issuers.find((issuer) => isWithinValidity(issuer, now)) ?? issuers[0];
  }
  if (issuance.isTooCostly) throw brokenChain(tooCostly);
  return chain;
}

/**
 * Whether the signature of the leaf of an ordered chain holds: by its issuer, or by its own key if it names itself as
 * issuer. `unknown` if the issuer is not in the chain.
 */
export function verifyLeafSignature(
  leaf: Certificate,
  others: readonly Certificate[],
): 'valid' | 'invalid' | 'unknown' {
  if (others.some((other) => isIssuedBy(leaf, other))) return 'valid';
  if (!isNamedIssuer(leaf, leaf)) return 'unknown';
  return isSelfSigned(leaf) ? 'valid' : 'invalid';
}

/**
 * Looks for a path from the leaf over any of the others to one of the roots in which every certificate is valid at
 * `now`, issued by the next, path lengths are respected, and TLS clients find no fault with it (see findPathFault).
 * Revocation and policies are not judged. Never throws; of several failures the first one, nearest to the leaf, is returned.
 */
export function checkChain(
  leaf: Certificate,
  others: readonly Certificate[],
  roots: readonly Certificate[],
  now: Date,
): ChainCheck {
  if (others.length > maxCertificates) return { ok: false, reason: 'there are too many certificates' };
  const issuance = new BoundedIssuance();
  const unseen = new Set(others);
  const paths: Certificate[][] = [[leaf]];
  let failure: string | undefined;
  // Breadth first and each certificate once: look-alikes that sign each other cannot multiply the paths.
  for (const path of paths) {
    const step = extendPath(path, { unseen, roots, issuance }, now);
    if (issuance.isTooCostly) return { ok: false, reason: tooCostly };
    if (step.root !== undefined) return { ok: true, chain: path, root: step.root };
    failure ??= step.failure;
    paths.push(...step.paths);
  }
  return { ok: false, reason: failure ?? 'no path leads to a known root' };
}

interface Step {
  readonly root?: Certificate;
  readonly failure?: string;
  readonly paths: readonly Certificate[][];
}

interface Candidates {
  readonly unseen: Set<Certificate>;
  readonly roots: readonly Certificate[];
  readonly issuance: BoundedIssuance;
}

function extendPath(path: Certificate[], { unseen, roots, issuance }: Candidates, now: Date): Step {
  const last = path.at(-1);
  if (last === undefined || path.length > maxDepth) return { failure: 'the chain is too long', paths: [] };
  const fault = faultAt(last, path.slice(0, -1), now);
  if (fault !== undefined) return { failure: fault, paths: [] };
  const root = roots.find((candidate) => issuance.has(last, candidate));
  if (root !== undefined) {
    const rootFault = faultAt(root, path, now) ?? ruleFault([...path, root]);
    return rootFault === undefined ? { root, paths: [] } : { failure: rootFault, paths: [] };
  }
  const issuers = [...unseen].filter((other) => issuance.has(last, other));
  for (const issuer of issuers) unseen.delete(issuer);
  if (issuers.length > 0) return { paths: issuers.map((issuer) => [...path, issuer]) };
  return { failure: `no issuer is known for "${formatName(last.subject)}"`, paths: [] };
}

function ruleFault(path: readonly Certificate[]): string | undefined {
  try {
    return findPathFault(path);
  } catch (error) {
    if (error instanceof InvalidInput) return error.message;
    throw error;
  }
}

/** Returns what is wrong with the certificate above those of the path. */
function faultAt(certificate: Certificate, below: readonly Certificate[], now: Date): string | undefined {
  return validityFault(certificate, now) ?? lengthFault(certificate, below);
}

function isNamedIssuer(certificate: Certificate, issuer: Certificate): boolean {
  if (!certificate.issuerDer.equals(issuer.subjectDer)) return false;
  const { authorityKeyIdentifier } = certificate;
  const { subjectKeyIdentifier } = issuer;
  if (authorityKeyIdentifier === undefined || subjectKeyIdentifier === undefined) return true;
  return authorityKeyIdentifier.equals(subjectKeyIdentifier);
}

const brokenChain = (reason: string): InvalidInput =>
  new InvalidInput(`The certificates do not form a chain: ${reason}`, { code: 'broken_chain' });
