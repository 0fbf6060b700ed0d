export { linksFor, sendReply, setAcmeHeaders, urlOf } from './protocol/acme-exchange.responder.js';
export { type AcmeReply, created, ok } from './protocol/acme-reply.js';
export { type SignedRoute, signedHandler } from './protocol/jws.middleware.js';
export {
  accountOf,
  type Nonces,
  parseJsonPayload,
  parsePayload,
  parseSigned,
  requireActive,
  requireNoPayload,
  requireSignature,
  type SignedRequest,
} from './protocol/signed-requests.service.js';
