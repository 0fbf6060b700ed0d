import { statusContract } from '@certloop/contracts';
import { bind } from '@certloop/server';
import { Router } from 'express';
import { ocspHandler } from './ocsp.responder.js';
import { createOcsp } from './ocsp.service.js';
import { showStatus } from './revocation.service.js';
import { createRevocationLists, getIssuer } from './revocation-lists.service.js';
import type { StatusDeps } from './status-deps.service.js';

// OCSP is answered by its own responder.
const { askOcsp: _, askOcspByAddress: __, ...contract } = statusContract;

/** Router by which verifiers find out what is revoked: status by serial number, revocation lists, OCSP. */
export function statusRoutes(deps: StatusDeps): Router {
  const listOf = createRevocationLists(deps);
  const router = Router({ caseSensitive: true });
  router.use('/ocsp', ocspHandler(createOcsp(deps), deps.clock));
  router.use(
    bind(
      contract,
      {
        getCertificateStatus: async ({ params }) => ({
          status: 200,
          body: showStatus(deps, params.serial_number),
        }),
        getRevocationList: async ({ params }) => {
          const { der, thisUpdate } = await listOf(params.issuer);
          // What is revoked in a test must be seen at once.
          const headers = { 'Cache-Control': 'no-cache', 'Last-Modified': thisUpdate.toUTCString() };
          return { status: 200, body: der, headers };
        },
        getIssuer: async ({ params }) => ({
          status: 200,
          body: getIssuer(deps, params.issuer).issuer.certificate.der,
        }),
      },
      { context: () => undefined, bodyBytes: 0 },
    ),
  );
  return router;
}
