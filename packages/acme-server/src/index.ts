export { chainType, downloadCertificate, elementNumbered } from './certificates/certificates.service.js';
export type {
  AccountChange,
  AccountKey,
  AcmePorts,
  AcmeRecords,
  AcmeStore,
  AskedBinding,
  Awaitable,
  NewAccount,
  NewOrder,
  Nonces,
  OrderPage,
  RenewalInfo,
  ServerSettings,
} from './ports.js';
export { type BaseOf, requestBase } from './protocol/acme-exchange.responder.js';
export { type AcmeReply, created, ok } from './protocol/acme-reply.js';
export { fetched, type SignedRoute } from './protocol/jws.middleware.js';
export type { SignedRequest } from './protocol/signed-request.js';
export { accountOf, parsePayload } from './protocol/signed-requests.service.js';
export { type AcmeRouterOptions, acmeRouter, derivedRoutes } from './routes/acme.routes.js';
export { type PlainRoute, parameter, plainHandler } from './routes/plain.routes.js';
