import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { eachOf, pageHeaders } from '../access/list-page.js';
import { certificateView } from './certificate-view.js';
import { type CertificatesDeps, listCertificatesOf } from './certificates.service.js';
import { type ImportDeps, importCertificate } from './import-certificate.service.js';

export function certificatesHandlers(
  deps: CertificatesDeps & ImportDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'listCertificates' | 'importCertificate'> {
  return {
    importCertificate: async ({ context, params, body }) => {
      const { certificate, isNew } = await importCertificate(deps, context, { ...params, ...body });
      return { status: isNew ? 201 : 200, body: certificateView(certificate, params.spaceId) };
    },
    listCertificates: async ({ context, params, query }) => {
      const page = await listCertificatesOf(deps, context, { ...params, window: query });
      const { spaceId, fqdnId } = params;
      const headers = pageHeaders(page, `/spaces/${spaceId}/fqdns/${fqdnId}/certificates`, query);
      return { status: 200, body: eachOf(page.rows, (row) => certificateView(row, spaceId)), headers };
    },
  };
}
