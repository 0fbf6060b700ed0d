import { refreshedCertificateView } from '../certificates/certificate-view.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import { followHeaders, jobOf, jobView, listedJobView, requestView } from './issuance-view.js';
import { cancelJob } from './jobs/cancel-job.service.js';
import { continueJob, showJob } from './jobs/issuance-jobs.service.js';
import { listJobs } from './jobs/list-jobs.service.js';
import { requestCertificate } from './jobs/request-certificate.service.js';
import { type RefreshDeps, refreshCertificate } from './refresh-certificate.service.js';
import { type SignDeps, signCsr } from './signing/sign-csr.service.js';

export function issuanceHandlers(deps: SignDeps & RefreshDeps) {
  return {
    signCsr: async ({ context, params, query, body }) => {
      const input = { ...params, providerId: body.providerId, waitSeconds: query.wait };
      const { reply, unfinished } = await signCsr(deps, context, input);
      return { status: 200, body: reply, headers: followHeaders(unfinished) };
    },
    requestCertificate: async ({ context, params, query, body }) => {
      const isConfirmed = body?.confirmed === true;
      const request = { ...params, isConfirmed, waitSeconds: query.wait };
      const state = await requestCertificate(deps, context, request);
      return { status: 200, body: requestView(state), headers: followHeaders(jobOf(state)) };
    },
    refreshCertificate: async ({ context, params }) => {
      const refreshed = await refreshCertificate(deps, context, params);
      return ok(refreshedCertificateView(refreshed, params.spaceId));
    },
    listIssuanceJobs: async ({ context, query }) => {
      const page = await listJobs(deps, context, query);
      const headers = pageHeaders(page, '/issuance-jobs', query);
      return { status: 200, body: eachOf(page.rows, listedJobView), headers };
    },
    getIssuanceJob: async ({ context, params }) => {
      const { job, certificate } = await showJob(deps, context, params.id);
      return { status: 200, body: jobView(job, certificate), headers: followHeaders(job) };
    },
    continueIssuanceJob: async ({ context, params }) => {
      const job = await continueJob(deps, context, params.id);
      return { status: 200, body: jobView(job, undefined), headers: followHeaders(job) };
    },
    cancelIssuanceJob: async ({ context, params }) => {
      return ok(jobView(await cancelJob(deps, context, params.id), undefined));
    },
  } satisfies SomeHandlers;
}
