import type { RequestHandler } from 'express';
import type { Logger } from '../observability/logger.js';

/**
 * Calls `onUntrusted` for each request whose X-Forwarded-For does not count, since its peer is no
 * trusted proxy, and warns of the first one. Behind such a proxy all clients share one address and one limit.
 */
export function watchUntrustedProxies(logger: Logger, onUntrusted: () => void): RequestHandler {
  let hasWarned = false;
  return (request, _response, next) => {
    const isForwarded = request.get('x-forwarded-for') !== undefined;
    const peer = request.socket.remoteAddress ?? '';
    const isTrusted = request.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    if (isForwarded && !isTrusted(peer, 0)) {
      onUntrusted();
      if (!hasWarned) logger.warn({ peer }, 'http.untrusted_proxy');
      hasWarned = true;
    }
    next();
  };
}
