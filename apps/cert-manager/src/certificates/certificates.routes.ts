import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { certificateView } from './certificate-view.js';
import { type CertificatesDeps, listCertificatesOf } from './certificates.service.js';

export function certificatesHandlers(
  deps: CertificatesDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'listCertificates'> {
  return {
    listCertificates: async ({ context, params }) => {
      const rows = await listCertificatesOf(deps, context, params);
      return { status: 200, body: rows.map((row) => certificateView(row, params.spaceId)) };
    },
  };
}
