import { type AppError, acmeProblemDocument } from '@certloop/contracts';
import { errorHandler, noteRoute, refuseUnknownPath } from '@certloop/server';
import { type NextFunction, type Request, type RequestHandler, type Response, Router } from 'express';
import { newAccount, updateAccount } from '../accounts/accounts.service.js';
import { changeKey } from '../accounts/key-change.service.js';
import {
  showDerivedAuthorization,
  showDerivedChallenge,
} from '../authorizations/derived-authorizations.service.js';
import { downloadCertificate } from '../certificates/certificates.service.js';
import { revokeAcmeCertificate } from '../certificates/revocation.service.js';
import { finalizeOrder } from '../orders/finalize.service.js';
import { newOrder } from '../orders/new-order.service.js';
import { listOrders, showOrder } from '../orders/orders.service.js';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { type BaseOf, linksFor, setAcmeHeaders } from '../protocol/acme-exchange.responder.js';
import { type AcmePath, acmeMount, acmePaths } from '../protocol/acme-links.js';
import { fetched, type SignedRoute, signedHandler } from '../protocol/jws.middleware.js';
import type { Account } from '../records/records.js';
import { type PlainRoute, parameter, plainRoutes, refuseMethod } from './plain.routes.js';

export interface AcmeRouterOptions<A extends Account = Account> {
  /** Links, and the `url` of requests and bindings, begin with this base. */
  readonly baseOf: BaseOf;
  /** Routes that not every server has. */
  readonly signed: readonly (readonly [AcmePath, SignedRoute<A>])[];
  readonly plain?: readonly PlainRoute<A>[];
  /** Handler that runs before each one of the path. */
  readonly before?: (path: AcmePath) => RequestHandler;
}

/** Router of ACME (RFC 8555), to be mounted at `acmeMount`; it answers every path below. */
export function acmeRouter<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  { baseOf, signed, plain = [], before = () => pass }: AcmeRouterOptions<T['account']>,
): Router {
  const router = Router({ caseSensitive: true });
  router.use((request: Request, response: Response, next: NextFunction) => {
    setAcmeHeaders(request, response, linksFor(request, baseOf));
    next();
  });
  for (const [path, route] of [...signedRoutes(ports), ...signed]) {
    router
      .route(acmePaths[path])
      .all(named(path))
      .post(before(path))
      .post(signedHandler(ports, baseOf, route))
      .all(refuseMethod('POST'));
  }
  for (const [path, serve, ofSigned] of [...plainRoutes(ports, baseOf), ...plain]) {
    const route = router.route(acmePaths[path]).all(named(path)).get(before(path), serve);
    if (ofSigned !== undefined) route.post(before(path), signedHandler(ports, baseOf, fetched(ofSigned)));
    route.all(refuseMethod(ofSigned === undefined ? 'GET, HEAD' : 'GET, HEAD, POST'));
  }
  router.use(refuseUnknownPath);
  router.use(errorHandler({ logger: ports.logger, describe: describeRefusal }));
  return router;
}

function signedRoutes<T extends AcmeRecords>(
  ports: AcmePorts<T>,
): readonly (readonly [AcmePath, SignedRoute<T['account']>])[] {
  return [
    ['newAccount', { form: 'jwk', serve: (signed) => newAccount(ports, signed) }],
    ['newOrder', { form: 'kid', serve: (signed) => newOrder(ports, signed) }],
    ['revokeCert', { form: 'either', serve: (signed) => revokeAcmeCertificate(ports, signed) }],
    ['keyChange', { form: 'kid', serve: (signed) => changeKey(ports, signed) }],
    [
      'account',
      { form: 'kid', serve: (signed, asked) => updateAccount(ports, signed, parameter(asked, 'id')) },
    ],
    [
      'accountOrders',
      fetched((signed, asked) => {
        const { cursor } = asked.query;
        const page = typeof cursor === 'string' ? cursor : undefined;
        return listOrders(ports, signed, { id: parameter(asked, 'id'), cursor: page });
      }),
    ],
    ['order', fetched((signed, asked) => showOrder(ports, signed, parameter(asked, 'id')))],
    [
      'finalize',
      { form: 'kid', serve: (signed, asked) => finalizeOrder(ports, signed, parameter(asked, 'id')) },
    ],
    [
      'certificate',
      fetched((signed, asked) => downloadCertificate(ports, signed, { id: parameter(asked, 'id') })),
    ],
  ];
}

/** Routes of authorizations that follow from their order (`derivedAuthorizations`). */
export function derivedRoutes<T extends AcmeRecords>(
  ports: AcmePorts<T>,
): readonly (readonly [AcmePath, SignedRoute<T['account']>])[] {
  return [
    [
      'authorization',
      {
        form: 'kid',
        serve: (signed, asked) => showDerivedAuthorization(ports, signed, parameter(asked, 'id')),
      },
    ],
    [
      'challenge',
      {
        form: 'kid',
        serve: (signed, asked) => {
          const address = { id: parameter(asked, 'id'), type: parameter(asked, 'type') };
          return showDerivedChallenge(ports, signed, address);
        },
      },
    ],
  ];
}

const pass: RequestHandler = (_, __, next) => next();

const named = (path: AcmePath) => (_: Request, response: Response, next: NextFunction) => {
  noteRoute(response, `${acmeMount}${acmePaths[path]}`);
  next();
};

function describeRefusal(refusal: AppError) {
  return { contentType: 'application/problem+json', body: acmeProblemDocument(refusal) };
}
