import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import { csrReviewView, csrView } from './csr-view.js';
import { type CsrsDeps, deleteAllCsrs, getLatestCsr, listCsrs } from './csrs.service.js';
import { lintSentCsr } from './lint-csr.service.js';
import { reviewCsr, uploadCsr } from './upload-csr.service.js';

export function csrsHandlers(deps: CsrsDeps) {
  return {
    lintCsr: async ({ body }) => ok(await lintSentCsr(deps, body)),
    uploadCsr: async ({ params, query, body, context }) => {
      const upload = { ...params, file: body.file.bytes, stated: body.fields };
      if (query.dryRun) {
        const { csr, fqdn, ...review } = await reviewCsr(deps, context, upload);
        return ok(csrReviewView(csr, fqdn, review));
      }
      const { csr, fqdn, findings } = await uploadCsr(deps, context, upload);
      return created(csrView(csr, fqdn, findings));
    },
    listCsrs: async ({ params, query, context }) => {
      if (query.latest) {
        const { csr, fqdn, findings } = await getLatestCsr(deps, context, params);
        return ok(csrView(csr, fqdn, findings));
      }
      const { page, fqdn, findingsOn } = await listCsrs(deps, context, { ...params, window: query });
      const { latest: _, ...asked } = query;
      const headers = pageHeaders(page, `/spaces/${params.spaceId}/fqdns/${params.fqdnId}/csr`, asked);
      const body = eachOf(page.rows, (csr) => csrView(csr, fqdn, findingsOn(csr)));
      return { status: 200, body, headers };
    },
    deleteAllCsrs: async ({ context }) => {
      const deletedCount = await deleteAllCsrs(deps, context);
      return ok({ message: `CSRs deleted in all spaces: ${deletedCount}`, deletedCount });
    },
  } satisfies SomeHandlers;
}
