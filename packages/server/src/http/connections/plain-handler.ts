import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Logger } from '../../observability/logger.js';
import { dropBody } from '../plain-requests.js';

export interface PlainHandlerOptions {
  readonly logger: Logger;
  readonly respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  /** Responds to what `respond` rejected with. */
  readonly refuse: (error: unknown, request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * Handler of requests on Node's own HTTP. It never rejects: an error after the response has begun is logged and ends
 * the connection, and so does an error of `refuse`. A caller who has gone gets nothing.
 */
export function plainHandler({ logger, respond, refuse }: PlainHandlerOptions): RequestListener {
  const end = (error: unknown, response: ServerResponse) => {
    logger.error({ error }, 'request.unexpected_error');
    response.destroy();
  };
  return (request, response) => {
    respond(request, response).catch((error: unknown) => {
      if (response.destroyed) return;
      if (response.headersSent) return end(error, response);
      try {
        dropBody(request);
        refuse(error, request, response);
      } catch (fault) {
        end(fault, response);
      }
    });
  };
}
