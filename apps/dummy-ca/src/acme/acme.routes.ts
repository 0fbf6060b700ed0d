import { linksFor, setAcmeHeaders, signedHandler } from '@certloop/acme-server';
import { type AcmePath, acmeMount, acmePaths } from '@certloop/acme-server/rules';
import { type AppError, acmeProblemDocument } from '@certloop/contracts';
import { errorHandler, noteRoute, refuseUnknownPath } from '@certloop/server';
import { type NextFunction, type Request, type Response, Router } from 'express';
import { newAccount, updateAccount } from './accounts/accounts.service.js';
import { changeKey } from './accounts/key-change.service.js';
import type { AcmeDeps, AcmeRoute } from './acme-deps.service.js';
import { newAuthorization, updateAuthorization } from './authorizations/authorizations.service.js';
import { answerChallenge } from './authorizations/challenges.service.js';
import { downloadCertificate } from './certificates/certificates.service.js';
import { revokeAcmeCertificate } from './certificates/revocation.service.js';
import { faultsAt } from './faults/faults.middleware.js';
import { finalizeOrder } from './orders/finalize.service.js';
import { newOrder } from './orders/new-order.service.js';
import { listOrders, showOrder } from './orders/orders.service.js';
import { parameter, plainRoutes, refuseMethod } from './plain.routes.js';

export interface AcmeRoutesOptions {
  /** Base address under which clients reach the service; undefined for the one that they use. */
  readonly publicUrl: string | undefined;
}

/** Router of ACME (RFC 8555), to be mounted at `acmeMount`; it answers every path below. */
export function acmeRoutes(deps: AcmeDeps, { publicUrl }: AcmeRoutesOptions): Router {
  const router = Router({ caseSensitive: true });
  router.use((request: Request, response: Response, next: NextFunction) => {
    setAcmeHeaders(request, response, linksFor(request, publicUrl));
    next();
  });
  for (const [path, route] of signedRoutes(deps)) {
    router
      .route(acmePaths[path])
      .all(named(path))
      .post(faultsAt(path, deps.faults, deps.nonces))
      .post(signedHandler(deps, publicUrl, route))
      .all(refuseMethod('POST'));
  }
  for (const [path, serve, signed] of plainRoutes(deps, publicUrl)) {
    const struck = faultsAt(path, deps.faults, deps.nonces);
    const route = router.route(acmePaths[path]).all(named(path)).get(struck, serve);
    if (signed !== undefined) route.post(struck, signedHandler(deps, publicUrl, fetched(signed)));
    route.all(refuseMethod(signed === undefined ? 'GET, HEAD' : 'GET, HEAD, POST'));
  }
  router.use(refuseUnknownPath);
  router.use(errorHandler({ logger: deps.logger, describe: describeRefusal }));
  return router;
}

function signedRoutes(deps: AcmeDeps): [AcmePath, AcmeRoute][] {
  return [
    ['newAccount', { form: 'jwk', serve: (signed) => newAccount(deps, signed) }],
    ['newOrder', { form: 'kid', serve: (signed) => newOrder(deps, signed) }],
    ['newAuthz', { form: 'kid', serve: (signed) => newAuthorization(deps, signed) }],
    ['revokeCert', { form: 'either', serve: (signed) => revokeAcmeCertificate(deps, signed) }],
    ['keyChange', { form: 'kid', serve: (signed) => changeKey(deps, signed) }],
    [
      'account',
      { form: 'kid', serve: (signed, asked) => updateAccount(deps, signed, parameter(asked, 'id')) },
    ],
    [
      'accountOrders',
      fetched((signed, asked) => {
        const { cursor } = asked.query;
        const page = typeof cursor === 'string' ? cursor : undefined;
        return listOrders(deps, signed, { id: parameter(asked, 'id'), cursor: page });
      }),
    ],
    ['order', fetched((signed, asked) => showOrder(deps, signed, parameter(asked, 'id')))],
    [
      'finalize',
      { form: 'kid', serve: (signed, asked) => finalizeOrder(deps, signed, parameter(asked, 'id')) },
    ],
    [
      'authorization',
      { form: 'kid', serve: (signed, asked) => updateAuthorization(deps, signed, parameter(asked, 'id')) },
    ],
    [
      'challenge',
      {
        form: 'kid',
        serve: (signed, asked) => {
          const address = { id: parameter(asked, 'id'), type: parameter(asked, 'type') };
          return answerChallenge(deps, signed, address);
        },
      },
    ],
    [
      'certificate',
      fetched((signed, asked) => downloadCertificate(deps, signed, { id: parameter(asked, 'id') })),
    ],
    [
      'alternateChain',
      fetched((signed, asked) => {
        const chosen = { id: parameter(asked, 'id'), chain: parameter(asked, 'chain') };
        return downloadCertificate(deps, signed, chosen);
      }),
    ],
  ];
}

const fetched = (serve: AcmeRoute['serve']): AcmeRoute => ({ form: 'kid', isFetched: true, serve });

const named = (path: AcmePath) => (_: Request, response: Response, next: NextFunction) => {
  noteRoute(response, `${acmeMount}${acmePaths[path]}`);
  next();
};

function describeRefusal(refusal: AppError) {
  return { contentType: 'application/problem+json', body: acmeProblemDocument(refusal) };
}
