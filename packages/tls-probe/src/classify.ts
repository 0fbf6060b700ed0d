import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { servedClasses } from '@certloop/contracts';
import {
  type Certificate,
  checkChain,
  describePublicKey,
  fingerprint,
  isIssuedBy,
  isWithinValidity,
  publicKeysEqual,
  spkiSha256,
} from '@certloop/crypto';
import type { Observation, ServedCertificate } from './observation.js';

/** Verdicts on an address, in the order in which they are looked for; the first that holds is the verdict. */
export const classes = [...servedClasses, 'untrusted', 'trusted'] as const;
export type Class = (typeof classes)[number];

/** A certificate of ours that is not the newest. */
export interface EarlierCertificate {
  readonly certificate: Certificate;
  /** When the next one was stored. */
  readonly replacedAt: Date;
}

/** Certificate that should be served. */
export interface Expectation {
  /** The newest certificate of ours; absent while none was issued. */
  readonly newest?: Certificate | undefined;
  /** Certificates that were issued with it: intermediates, and perhaps the root. */
  readonly issuedWith: readonly Certificate[];
  readonly earlier: readonly EarlierCertificate[];
  /** How long an earlier certificate may still be served after the next one was stored. */
  readonly graceSeconds: number;
  /** SHA-256 over the SubjectPublicKeyInfo, hex, of each key of our CSRs. */
  readonly keys?: readonly string[];
}

export interface Judging {
  /** Name or address that clients ask for. */
  readonly name: string;
  /** Absent to judge by the trusted roots alone. */
  readonly expected?: Expectation | undefined;
  readonly trustedRoots: readonly Certificate[];
  readonly now: Date;
}

/** Verdict on what an address serves; `reason` is set where the chain is at fault. */
export interface Verdict {
  readonly class: Class;
  readonly isWell: boolean;
  /** Certificate of the verdict: of two certificates that with our kind of key. */
  readonly served?: ServedCertificate;
  readonly reason?: string;
}

const wellClasses: ReadonlySet<Class> = new Set(['current', 'previous', 'trusted']);

/** Verdict on an observation. Never throws. */
export function classifyObservation(observation: Observation, judging: Judging): Verdict {
  if (!('served' in observation)) return { class: 'unreachable', isWell: false };
  const served = choose(observation.served, judging.expected);
  const chainFault = findChainFault(served, judging);
  const found = classOf(served, judging, chainFault !== undefined);
  return {
    class: found,
    isWell: wellClasses.has(found),
    served,
    ...((found === 'chain_incomplete' || found === 'untrusted') && { reason: chainFault ?? '' }),
  };
}

function classOf(
  { leaf }: ServedCertificate,
  { name, expected, now }: Judging,
  isChainFaulty: boolean,
): Class {
  if (now < leaf.notBefore) return 'not_yet_valid';
  if (!isWithinValidity(leaf, now)) return 'expired';
  if (!coversName(leaf, name)) return 'name_mismatch';
  if (expected === undefined) return isChainFaulty ? 'untrusted' : 'trusted';
  const { newest, earlier, graceSeconds } = expected;
  if (newest !== undefined && isSame(leaf, newest)) return isChainFaulty ? 'chain_incomplete' : 'current';
  const known = earlier.find(({ certificate }) => isSame(leaf, certificate));
  if (known !== undefined) {
    return now.getTime() < known.replacedAt.getTime() + graceSeconds * 1000 ? 'previous' : 'stale';
  }
  return hasKeyOfOurs(leaf, expected) ? 'reissued_elsewhere' : 'foreign';
}

function hasKeyOfOurs({ spkiDer }: Certificate, { newest, keys = [] }: Expectation): boolean {
  if (newest !== undefined && publicKeysEqual(spkiDer, newest.spkiDer)) return true;
  return keys.includes(spkiSha256(spkiDer));
}

function choose(
  all: readonly [ServedCertificate, ...ServedCertificate[]],
  expected: Expectation | undefined,
): ServedCertificate {
  if (expected?.newest === undefined) return all[0];
  const wanted = keyAlgorithmOf(expected.newest);
  return all.find(({ leaf }) => keyAlgorithmOf(leaf) === wanted) ?? all[0];
}

/** Kind of a certificate's key, as a target names it. */
export function keyAlgorithmOf({ spkiDer }: Certificate): string {
  return describePublicKey(spkiDer).algorithm;
}

const isSame = (a: Certificate, b: Certificate): boolean => fingerprint(a.der) === fingerprint(b.der);

/** Why what was sent leads to no root, in one sentence. */
function findChainFault(
  { leaf, others }: ServedCertificate,
  { expected, trustedRoots, now }: Judging,
): string | undefined {
  const anchors = expected === undefined ? trustedRoots : [...trustedRoots, ...anchorsOf(expected, others)];
  // a certificate that was issued alone has nothing that could be missing
  if (expected?.issuedWith.length === 0 && trustedRoots.length === 0) return undefined;
  const checked = checkChain(leaf, others, anchors, now);
  return checked.ok ? undefined : checked.reason;
}

/** The issued root; where none was issued, the highest authorities that were, if the server sent them. */
function anchorsOf({ issuedWith }: Expectation, others: readonly Certificate[]): readonly Certificate[] {
  const roots = issuedWith.filter((certificate) => isIssuedBy(certificate, certificate));
  if (roots.length > 0) return roots;
  const highest = issuedWith.filter(
    (certificate) => !issuedWith.some((other) => other !== certificate && isIssuedBy(certificate, other)),
  );
  return others.filter((sent) => highest.some((certificate) => isSame(sent, certificate)));
}

/** Whether clients take the certificate for this host name or IP address (RFC 9525 §6). */
export function coversName({ der }: Certificate, name: string): boolean {
  try {
    const certificate = new X509Certificate(der);
    if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
    return certificate.checkHost(name, { subject: 'never', partialWildcards: false }) !== undefined;
  } catch {
    // OpenSSL reads less than this package does
    return false;
  }
}
