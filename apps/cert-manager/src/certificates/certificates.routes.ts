import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { eachOf, pageHeaders } from '../access/list-page.js';
import { certificateView } from './certificate-view.js';
import { type CertificatesDeps, listCertificatesOf } from './certificates.service.js';

export function certificatesHandlers(
  deps: CertificatesDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'listCertificates'> {
  return {
    listCertificates: async ({ context, params, query }) => {
      const page = await listCertificatesOf(deps, context, { ...params, window: query });
      const { spaceId, fqdnId } = params;
      const headers = pageHeaders(page, `/spaces/${spaceId}/fqdns/${fqdnId}/certificates`, query);
      return { status: 200, body: eachOf(page.rows, (row) => certificateView(row, spaceId)), headers };
    },
  };
}
