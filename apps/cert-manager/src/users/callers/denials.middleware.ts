import { Forbidden, Unauthenticated } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import { anonymousCaller } from '../../access/caller.js';
import { isUuid } from '../../access/uuid.js';
import type { Denial, Denials } from '../../audit/denials.service.js';
import { identifiedOf, requestOriginOf } from './caller.middleware.js';

/**
 * Error handler that keeps refusals in the audit log on their way to the caller: what an identified caller
 * was forbidden, and credentials that do not hold. Who sends none is merely asked for one.
 */
export function recordDenials(denials: Denials) {
  return async (error: unknown, request: Request, response: Response, next: NextFunction): Promise<void> => {
    if (error instanceof Unauthenticated) response.setHeader('WWW-Authenticate', 'Bearer');
    const { caller, spaceId } = identifiedOf(response);
    const denial = denialOf(error, request, spaceId);
    if (denial !== undefined) {
      await denials.record(caller ?? anonymousCaller(requestOriginOf(request, response)), denial);
    }
    next(error);
  };
}

/** Credentials by the code of their refusal; recorded without the path, which a stranger could vary at will. */
const credentials: ReadonlyMap<string, string> = new Map([
  ['invalid_token', 'Bearer'],
  ['invalid_setup_token', 'setup token'],
]);

function denialOf(error: unknown, request: Request, spaceId: string | undefined): Denial | undefined {
  const credential = error instanceof Unauthenticated ? credentials.get(error.code) : undefined;
  if (error instanceof Unauthenticated && credential !== undefined) {
    return { action: 'auth.fail', resourceType: 'token', subject: credential, reason: error.message };
  }
  if (!(error instanceof Forbidden)) return undefined;
  return {
    action: 'access.denied',
    resourceType: 'endpoint',
    subject: `${request.method} ${request.path.slice(0, 512)}`,
    reason: error.code,
    ...(spaceId !== undefined && isUuid(spaceId) && { spaceId }),
  };
}
