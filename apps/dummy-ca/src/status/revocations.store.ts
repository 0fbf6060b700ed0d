import type { RevocationReason } from '@certloop/crypto';
import { encodeRevocation } from '@certloop/crypto';
import { createBoundedMap } from '../authority/bounded-map.js';
import type { KnownCertificate } from '../authority/named-issuer.js';
import { noState, type State } from '../authority/state.store.js';

/** A certificate that is revoked. */
export interface Revocation extends KnownCertificate {
  readonly revokedAt: Date;
  readonly reason: RevocationReason;
  /** Its entry in revocation lists. */
  readonly entryDer: Buffer;
}

/** Revocations in memory; the oldest goes first where there are too many. */
export type RevocationsStore = ReturnType<typeof createRevocationsStore>;

/** `onRevoke` is called for each revocation. */
export function createRevocationsStore(
  limit: number,
  onRevoke: (revocation: Revocation) => void,
  state: State = noState,
) {
  const bySerialNumber = createBoundedMap<Revocation>({
    limit,
    onDrop: ({ serialNumber }) => state.drop('revocation', serialNumber),
  });
  let version = 0;
  for (const [serialNumber, record] of state.load('revocation'))
    bySerialNumber.insert(serialNumber, record as Revocation);
  return {
    /** Another number after every change. */
    version: () => version,
    find: (serialNumber: string): Revocation | undefined => bySerialNumber.get(serialNumber),
    insert: (certificate: KnownCertificate, revokedAt: Date, reason: RevocationReason): Revocation => {
      const { serialNumber, issuer, notAfter } = certificate;
      const entryDer = encodeRevocation({ serialNumber, revokedAt, reason });
      const revocation = { serialNumber, issuer, notAfter, revokedAt, reason, entryDer };
      state.touch('revocation', serialNumber, () => revocation);
      bySerialNumber.insert(serialNumber, revocation);
      version += 1;
      onRevoke(revocation);
      return revocation;
    },
    delete: (serialNumber: string): void => {
      if (!bySerialNumber.delete(serialNumber)) return;
      state.drop('revocation', serialNumber);
      version += 1;
    },
    /** Oldest first. */
    values: (): Iterable<Revocation> => bySerialNumber.values(),
  };
}
