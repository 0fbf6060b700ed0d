import type { AcmeReply } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import { receiveBytes } from '@certloop/server';
import type { Request, Response } from 'express';
import type { Account } from '../records/records.js';
import { linksFor, sendReply, urlOf } from './acme-exchange.responder.js';
import type { SignerForm } from './jws-header.js';
import {
  judgeRequest,
  requireNoPayload,
  type SignedDeps,
  type SignedRequest,
} from './signed-requests.service.js';

// A CSR with a hundred names has about 8 kB, in base64url twice over.
const bodyBytes = 65_536;

export interface SignedRoute<A extends Account = Account> {
  readonly form: SignerForm;
  /** True when only POST-as-GET is served (RFC 8555 §6.3). */
  readonly isFetched?: true;
  readonly serve: (request: SignedRequest<A>, exchange: Request) => Promise<AcmeReply>;
}

/**
 * Handler of a signed request (RFC 8555 §6.2): a fresh nonce with every answer, then the media type, then all that
 * the JWS must be, then the use case.
 */
export function signedHandler<A extends Account>(
  deps: SignedDeps<A>,
  publicUrl: string | undefined,
  { form, isFetched, serve }: SignedRoute<A>,
) {
  return async (request: Request, response: Response): Promise<void> => {
    response.setHeader('Replay-Nonce', deps.nonces.issue());
    if (!/^\s*application\/jose\+json\s*(?:;|$)/i.test(request.get('content-type') ?? '')) {
      throw new AcmeProblem('malformed', 'the Content-Type must be application/jose+json', {
        kind: 'unsupported_media_type',
      });
    }
    const body = await receiveBytes(request, response, bodyBytes);
    const links = linksFor(request, publicUrl);
    const url = urlOf(request, links);
    const signed = await judgeRequest(deps, { body, url, links, form });
    if (isFetched) requireNoPayload(signed);
    sendReply(response, await serve(signed, request));
  };
}
