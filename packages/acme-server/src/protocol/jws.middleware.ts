import { AcmeProblem } from '@certloop/contracts';
import { receiveBytes } from '@certloop/server';
import type { Request, Response } from 'express';
import type { Account } from '../records/records.js';
import { type BaseOf, linksFor, sendReply, urlOf } from './acme-exchange.responder.js';
import type { AcmeReply } from './acme-reply.js';
import type { SignerForm } from './jws-header.js';
import type { SignedRequest } from './signed-request.js';
import { judgeRequest, requireActive, requireNoPayload, type SignedDeps } from './signed-requests.service.js';

// A CSR with a hundred names has about 8 kB, in base64url twice over.
const bodyBytes = 65_536;

export interface SignedRoute<A extends Account = Account> {
  readonly form: SignerForm;
  /** True when only POST-as-GET is served (RFC 8555 §6.3). */
  readonly isFetched?: true;
  readonly serve: (request: SignedRequest<A>, exchange: Request) => Promise<AcmeReply>;
}

/** Returns a route that only serves POST-as-GET. */
export const fetched = <A extends Account>(serve: SignedRoute<A>['serve']): SignedRoute<A> => ({
  form: 'kid',
  isFetched: true,
  serve,
});

/**
 * Handler of a signed request (RFC 8555 §6.2): a fresh nonce with every answer, then the media type, then all that
 * the JWS must be, then the use case.
 */
export function signedHandler<A extends Account>(deps: SignedDeps<A>, baseOf: BaseOf, route: SignedRoute<A>) {
  return async (request: Request, response: Response): Promise<void> => {
    response.setHeader('Replay-Nonce', deps.nonces.issue());
    if (!/^\s*application\/jose\+json\s*(?:;|$)/i.test(request.get('content-type') ?? '')) {
      throw new AcmeProblem('malformed', 'the Content-Type must be application/jose+json', {
        kind: 'unsupported_media_type',
      });
    }
    const body = await receiveBytes(request, response, bodyBytes);
    const links = linksFor(request, baseOf);
    const asked = { body, url: urlOf(request, links), links, form: route.form, exchange: request };
    sendReply(response, await serveOnce(deps, route, await judgeRequest(deps, asked)));
  };
}

async function serveOnce<A extends Account>(
  deps: SignedDeps<A>,
  { isFetched, serve }: SignedRoute<A>,
  signed: SignedRequest<A>,
): Promise<AcmeReply> {
  try {
    await deps.admit?.(signed);
    if (signed.account !== undefined) requireActive(signed.account);
    if (isFetched) requireNoPayload(signed);
    return await serve(signed, signed.exchange);
  } finally {
    await deps.nonces.use(signed);
  }
}
