import { ok, type SomeHandlers } from '../http/handlers.js';
import { eachOf } from '../http/lazy-rows.js';
import { pageHeaders } from '../http/page-headers.js';
import { certificateDetailView, certificateView, foundCertificateView } from './certificate-view.js';
import { listCertificatesOf, type ShowCertificateDeps, showCertificate } from './certificates.service.js';
import {
  type AwaitDeps,
  type AwaitedDelivery,
  awaitCertificate,
} from './delivery/await-certificate.service.js';
import { deliverCertificate } from './delivery/deliver-certificate.service.js';
import { findCertificates } from './find-certificates.service.js';
import { type ImportDeps, importCertificate } from './import-certificate.service.js';
import { leafEndOf } from './in-use.js';

export function certificatesHandlers(deps: ImportDeps & ShowCertificateDeps & AwaitDeps) {
  return {
    importCertificate: async ({ context, params, body }) => {
      const { certificate, isNew, isVerified } = await importCertificate(deps, context, {
        ...params,
        ...body,
      });
      const view = certificateView(certificate, params.spaceId);
      return { status: isNew ? 201 : 200, body: isVerified ? view : { ...view, unverified: true } };
    },
    deliverCertificate: async ({ context, params, query, signal }) =>
      replyOf(await awaitCertificate(deps, context, { ...params, ...query }, signal)),
    downloadCertificate: async ({ context, params, query }) =>
      replyOf(await deliverCertificate(deps, context, { ...params, ...query })),
    getCertificate: async ({ context, params }) =>
      ok(certificateDetailView(await showCertificate(deps, context, params), params.spaceId)),
    findCertificates: async ({ context, query }) => {
      const page = await findCertificates(deps, context, query);
      const headers = pageHeaders(page, '/certificates', query);
      return { status: 200, body: page.rows.map(foundCertificateView), headers };
    },
    listCertificates: async ({ context, params, query }) => {
      const page = await listCertificatesOf(deps, context, { ...params, window: query });
      const { spaceId, fqdnId } = params;
      const headers = pageHeaders(page, `/spaces/${spaceId}/fqdns/${fqdnId}/certificates`, query);
      return { status: 200, body: eachOf(page.rows, (row) => certificateView(row, spaceId)), headers };
    },
  } satisfies SomeHandlers;
}

function replyOf({ file, certificate, isNews, retryAfter }: AwaitedDelivery) {
  const validators = {
    ETag: file.etag,
    'Last-Modified': certificate.createdAt.toUTCString(),
    'X-Certificate-Not-After': leafEndOf(certificate).toISOString(),
  };
  if (!isNews) {
    const busy = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    return { status: 304, body: undefined, headers: { ...validators, ...busy } } as const;
  }
  const headers = {
    ...validators,
    'Content-Type': file.contentType,
    'Content-Length': String(file.bytes.length),
    'Content-Disposition': `attachment; filename="${file.name}"`,
  };
  return { status: 200, body: inOnePiece(file.bytes), headers } as const;
}

async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
