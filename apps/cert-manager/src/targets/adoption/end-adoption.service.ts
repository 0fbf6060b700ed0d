import type { Tx } from '@certloop/db';
import type { StoredCertificate } from '../../certificates/store-certificates.service.js';
import type { Changes } from '../../fqdns/fqdns.service.js';
import { endAdoptionOf } from '../targets.repository.js';

/** Ends the adoption of what is served when CertLoop has obtained a certificate: that one should be served from then on. */
export async function endAdoption(tx: Tx, { changes }: Changes<StoredCertificate>): Promise<void> {
  const obtained = changes.filter(({ certificate }) => certificate.importedAt === null);
  const ids = obtained.map(({ fqdn }) => fqdn.id);
  if (ids.length > 0) await endAdoptionOf(tx, ids);
}
