import type { Database } from '@certloop/db';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { findChallengeToken } from './acme-accounts.repository.js';

/**
 * Answers CAs that look for a token (RFC 8555 §8.3): the key authorization as text, without a final newline. What
 * is published is no one's secret, so there is no sign-in; an unknown token is 404 without a body.
 */
export function http01Responder({ db }: { readonly db: Database }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const answer: RequestHandler = async (request: Request, response: Response) => {
    const token = String(request.params['token']);
    const row = /^[\w-]{16,128}$/.test(token)
      ? await db.read((tx) => findChallengeToken(tx, token))
      : undefined;
    response.set('Cache-Control', 'no-store');
    if (row === undefined) return void response.status(404).end();
    // Express's own way would add a charset
    response.setHeader('Content-Type', 'text/plain');
    response.end(row.keyAuthorization);
  };
  router.get('/.well-known/acme-challenge/:token', answer);
  return router;
}

/** Last handler of a port that answers challenges only. */
export function answerNothing(_request: Request, response: Response): void {
  response.status(404).end();
}
