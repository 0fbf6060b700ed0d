import type { KnownCertificate } from './named-issuer.js';
import { noState, type State } from './state.store.js';

/** A certificate as it was issued. */
export interface IssuedCertificate extends KnownCertificate {
  /** Uuid in lower case. */
  readonly id: string;
  readonly certificatePem: string;
  readonly createdAt: Date;
}

export interface StoreLimits {
  /** Maximum number of certificates. */
  readonly count: number;
  /** Maximum octets of PEM text; the newest certificate stays whatever its size. */
  readonly octets: number;
}

/** Issued certificates in memory, until a restart without a state, or until the limits push the oldest out. */
export interface CertificatesStore {
  /** Number of stored certificates. */
  readonly size: number;
  insert(certificate: IssuedCertificate): void;
  find(id: string): IssuedCertificate | undefined;
  findBySerialNumber(serialNumber: string): IssuedCertificate | undefined;
}

export function createCertificatesStore(limits: StoreLimits, state: State = noState): CertificatesStore {
  const byId = new Map<string, IssuedCertificate>();
  const bySerialNumber = new Map<string, IssuedCertificate>();
  // The same iterator is reused: it continues where it stopped; a new one would step over all deleted entries.
  const oldestFirst = byId.values();
  let octets = 0;

  const dropOldest = () => {
    while (byId.size > 1 && (byId.size > limits.count || octets > limits.octets)) {
      const oldest = oldestFirst.next();
      if (oldest.done === true) return;
      byId.delete(oldest.value.id);
      bySerialNumber.delete(oldest.value.serialNumber);
      octets -= oldest.value.certificatePem.length;
      state.drop('certificate', oldest.value.id);
    }
  };

  const insert = (certificate: IssuedCertificate) => {
    byId.set(certificate.id, certificate);
    bySerialNumber.set(certificate.serialNumber, certificate);
    octets += certificate.certificatePem.length;
    dropOldest();
  };
  for (const [, record] of state.load('certificate')) insert(record as IssuedCertificate);

  return {
    get size() {
      return byId.size;
    },
    insert: (certificate) => {
      state.touch('certificate', certificate.id, () => certificate);
      insert(certificate);
    },
    find: (id) => byId.get(id),
    findBySerialNumber: (serialNumber) => bySerialNumber.get(serialNumber),
  };
}
