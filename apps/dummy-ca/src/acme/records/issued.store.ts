import { createBoundedMap } from '../../authority/bounded-map.js';
import type { State } from '../../authority/state.store.js';
import { noteOf } from './noted-record.store.js';
import type { AcmeCertificate } from './records.js';

/** Certificates, and the keys that their holders have reported as compromised. */
export function createIssuedStore(maxRecords: number, state: State) {
  const certificatesByRenewalId = new Map<string, AcmeCertificate>();
  const certificates = createBoundedMap<AcmeCertificate>({
    limit: maxRecords,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ id, renewalId }) => {
      state.drop('acme-certificate', id);
      certificatesByRenewalId.delete(renewalId);
    },
  });
  const compromisedKeys = createBoundedMap<string>({
    limit: maxRecords,
    onDrop: (spkiSha256) => state.drop('compromised-key', spkiSha256),
  });
  const insert = (certificate: AcmeCertificate) => {
    certificates.insert(certificate.id, certificate);
    certificatesByRenewalId.set(certificate.renewalId, certificate);
  };
  const noted = noteOf<AcmeCertificate>(state, 'acme-certificate');

  for (const [, record] of state.load('acme-certificate')) insert(record as AcmeCertificate);
  for (const [spkiSha256] of state.load('compromised-key')) compromisedKeys.insert(spkiSha256, spkiSha256);

  return {
    insertCertificate: (certificate: AcmeCertificate) => insert(noted(certificate)),
    findCertificate: (id: string) => noted(certificates.get(id)),
    findCertificateByRenewalId: (renewalId: string) => noted(certificatesByRenewalId.get(renewalId)),
    /** SHA-256 of the SubjectPublicKeyInfo of a key that its holder has reported as compromised. */
    noteCompromised: (spkiSha256: string) => {
      if (compromisedKeys.get(spkiSha256) !== undefined) return;
      state.touch('compromised-key', spkiSha256, () => true);
      compromisedKeys.insert(spkiSha256, spkiSha256);
    },
    isCompromised: (spkiSha256: string): boolean => compromisedKeys.get(spkiSha256) !== undefined,
  };
}
