import type { CaIssuerName } from '@certloop/contracts';
import { parseCertificate } from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import type { CaCounts } from '../authority/ca-counts.service.js';
import type { CertificatesStore } from '../authority/certificates.store.js';
import type { KnownCertificate, NamedIssuer } from '../authority/named-issuer.js';
import type { SerialNumbers } from '../authority/serial-numbers.js';
import type { State } from '../authority/state.store.js';
import { createRevocationsStore, type Revocation, type RevocationsStore } from './revocations.store.js';

export interface StatusSettings {
  /** For how long a revocation list is good. */
  readonly crlSeconds: number;
  /** For how long an answer of OCSP is good. */
  readonly ocspSeconds: number;
  /** How far back lists and answers begin, for clients whose clocks are slow. */
  readonly backdateSeconds: number;
}

/** Dependencies of the use cases of revocation. */
export interface StatusDeps {
  readonly issuers: readonly NamedIssuer[];
  readonly certificates: CertificatesStore;
  /** Certificates of the authority's own, by serial number. */
  readonly own: ReadonlyMap<string, KnownCertificate>;
  readonly revocations: RevocationsStore;
  readonly serialNumbers: SerialNumbers;
  readonly settings: StatusSettings;
  readonly clock: Clock;
}

export interface StatusOptions extends Omit<StatusDeps, 'own' | 'revocations'> {
  readonly own: readonly { readonly issuer: CaIssuerName; readonly der: Buffer }[];
  readonly counts: Pick<CaCounts, 'countRevoked'>;
  readonly state: State;
}

// A list of as many entries has 4 MB.
const maxRevocations = 100_000;

/** The register of what is revoked, at first what the state has. */
export function createStatus({ own, counts, state, ...options }: StatusOptions): StatusDeps {
  const known = own.map(({ issuer, der }): [string, KnownCertificate] => {
    const { serialNumber, notAfter } = parseCertificate(der);
    return [serialNumber, { serialNumber, issuer, notAfter }];
  });
  const onRevoke = ({ issuer, reason }: Revocation) => counts.countRevoked({ issuer, reason });
  const revocations = createRevocationsStore(maxRevocations, onRevoke, state);
  return { ...options, own: new Map(known), revocations };
}

/** When a statement of the issuer begins at the earliest that is made at `nowMs`: milliseconds, whole seconds. */
export function beginOf({ settings }: StatusDeps, { issuer }: NamedIssuer, nowMs: number): number {
  const begin = (Math.floor(nowMs / 1000) - settings.backdateSeconds) * 1000;
  return Math.max(begin, issuer.certificate.notBefore.getTime());
}

/** A stored certificate, or one of the authority's own; a revoked one is found even when it is no longer stored. */
export function findKnown(deps: StatusDeps, serialNumber: string): KnownCertificate | undefined {
  const { certificates, own, revocations } = deps;
  return (
    certificates.findBySerialNumber(serialNumber) ?? own.get(serialNumber) ?? revocations.find(serialNumber)
  );
}
