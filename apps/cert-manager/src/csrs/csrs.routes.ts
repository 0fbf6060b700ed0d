import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import { csrReviewView, csrView } from './csr-view.js';
import { type ChangeCsrsDeps, deleteAllCsrs, getLatestCsr, listCsrs } from './csrs.service.js';
import { reviewCsr, uploadCsr } from './upload-csr.service.js';

export function csrsHandlers(deps: ChangeCsrsDeps) {
  return {
    uploadCsr: async ({ params, query, body, context }) => {
      const upload = { ...params, file: body.file.bytes, stated: body.fields };
      if (query.dryRun) {
        const { csr, fqdn, differs } = await reviewCsr(deps, context, upload);
        return ok(csrReviewView(csr, fqdn, differs));
      }
      const { csr, fqdn } = await uploadCsr(deps, context, upload);
      return created(csrView(csr, fqdn));
    },
    listCsrs: async ({ params, query, context }) => {
      if (query.latest) {
        const { csr, fqdn } = await getLatestCsr(deps, context, params);
        return ok(csrView(csr, fqdn));
      }
      const { page, fqdn } = await listCsrs(deps, context, { ...params, window: query });
      const { latest: _, ...asked } = query;
      const headers = pageHeaders(page, `/spaces/${params.spaceId}/fqdns/${params.fqdnId}/csr`, asked);
      return { status: 200, body: eachOf(page.rows, (csr) => csrView(csr, fqdn)), headers };
    },
    deleteAllCsrs: async ({ context }) => {
      const deletedCount = await deleteAllCsrs(deps, context);
      return ok({ message: `CSRs deleted in all spaces: ${deletedCount}`, deletedCount });
    },
  } satisfies SomeHandlers;
}
