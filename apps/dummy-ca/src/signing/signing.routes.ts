import { InvalidInput, signingContract } from '@certloop/contracts';
import { allowOnly, bind, packageVersion } from '@certloop/server';
import { Router } from 'express';
import { getCertificate, type SigningDeps } from './signing.service.js';

// The path of CSRs is answered by its own responder.
const { signCsr: _, ...contract } = signingContract;

const version = packageVersion(import.meta.url);

/** Router of the documented API except signing: show a certificate, show the root, report health. */
export function signingRoutes(deps: SigningDeps): Router {
  const router = Router({ caseSensitive: true });
  router.get('/certificate', refuseMissingIdentifier);
  router.all('/certificate', allowOnly(['GET', 'HEAD']));
  router.use(
    bind(
      contract,
      {
        getHealth: async () => ({ status: 200, body: { status: 'ok', version } }),
        getCertificate: async ({ params }) => {
          const { id, certificatePem, createdAt } = getCertificate(deps, params.id);
          const body = { id, certificate: certificatePem, created_at: createdAt.toISOString() };
          return { status: 200, body };
        },
        getRoot: async () => ({ status: 200, body: deps.authority.rootPem }),
      },
      { context: () => undefined, bodyBytes: 0 },
    ),
  );
  return router;
}

function refuseMissingIdentifier(): never {
  throw new InvalidInput('the certificate identifier is missing: ask for /certificate/{id}');
}
