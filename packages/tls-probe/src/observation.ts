import type { probeFailures, probeStages } from '@certloop/contracts';
import {
  type Certificate,
  describeCertificate,
  fingerprint,
  formatName,
  recallCertificate,
  spkiSha256,
} from '@certloop/crypto';

/** Step of a probe at which it ended without a handshake. */
export type Stage = (typeof probeStages)[number];

/** Why there was no handshake; never words of the server. */
export type ProbeFault = (typeof probeFailures)[number];

/** No handshake was made. */
export interface Unreachable {
  readonly stage: Stage;
  readonly fault: ProbeFault;
}

/** Certificate that a server sent in one handshake. */
export interface ServedCertificate {
  readonly leaf: Certificate;
  /** The other certificates that were sent and lead upwards from the leaf, in this order. */
  readonly others: readonly Certificate[];
}

/** Observation of what one address serves: one certificate, or two where the server has one for each kind of key. */
export type Observation =
  | Unreachable
  | { readonly served: readonly [ServedCertificate, ...ServedCertificate[]] };

/** An observation of one address; without an address where the name led to none. */
export interface AddressObservation {
  readonly address: string | undefined;
  readonly observation: Observation;
}

/** Certificates as they were sent, leaf first. Throws InvalidInput when the leaf cannot be read; others that cannot are omitted. */
export function readSent(ders: readonly Buffer[]): ServedCertificate {
  const [first = Buffer.alloc(0), ...rest] = ders;
  const others = rest.flatMap((der) => {
    try {
      return [recallCertificate(der)];
    } catch {
      return [];
    }
  });
  return { leaf: recallCertificate(first), others };
}

/** Facts of what was served, for people and programs. All hex is lower-case without colons. */
export interface ServedFacts {
  readonly serialNumber: string;
  /** SHA-256 over the DER of the leaf. */
  readonly fingerprint: string;
  /** SHA-256 over the leaf's SubjectPublicKeyInfo. */
  readonly spkiSha256: string;
  readonly keyAlgorithm: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly issuer: string;
  /** RFC 3339, UTC. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** The chain as it was sent, leaf first. */
  readonly chain: readonly { readonly subject: string; readonly fingerprint: string }[];
}

export function describeServed({ leaf, others }: ServedCertificate): ServedFacts {
  const facts = describeCertificate(leaf);
  return {
    serialNumber: facts.serialNumber,
    fingerprint: facts.fingerprint,
    spkiSha256: spkiSha256(leaf.spkiDer),
    keyAlgorithm: facts.publicKeyAlgorithm,
    dnsNames: facts.dnsNames,
    ipAddresses: facts.ipAddresses,
    issuer: facts.issuer,
    notBefore: facts.notBefore.toISOString(),
    notAfter: facts.notAfter.toISOString(),
    chain: [leaf, ...others].map((certificate) => ({
      subject: formatName(certificate.subject),
      fingerprint: fingerprint(certificate.der),
    })),
  };
}
