import { type checkMonitorContract, Forbidden, NotFound } from '@certloop/contracts';
import type { Arrival } from '@certloop/server';
import type { NextFunction, Request, Response } from 'express';
import { openToReaders, receiveObject } from '../projects/api-key.middleware.js';
import { methodsAt } from '../projects/api-paths.js';
import type { Caller } from '../projects/caller.js';
import type { AccountDeps } from '../projects/create-user.service.js';
import { type AccountCallerDeps, credentialsOf } from './account.middleware.js';
import { callerIn } from './account-checks.service.js';
import { identifyUser } from './sessions.service.js';

/**
 * Identifies who calls the management API of a project with a session in the place of a key. The session is judged
 * before the body; a key in the body does not count. Throws Unauthenticated, NotFound for a project of others, and
 * Forbidden for a change by a read-only member.
 */
export function projectCallerOf(deps: AccountCallerDeps & Pick<AccountDeps, 'db'>) {
  return async ({
    operation,
    params,
    request,
    response,
  }: Arrival<typeof checkMonitorContract>): Promise<Caller> => {
    const { user } = await identifyUser(deps, credentialsOf(deps, request));
    const caller = await callerIn(deps, user, (params['projectId'] ?? '').toLowerCase());
    if (caller.kind === 'read-only' && !openToReaders.has(operation)) {
      throw new Forbidden('this needs the role member in the project');
    }
    const body = request.method === 'POST' ? await receiveObject(request, response) : {};
    return { ...caller, body };
  };
}

/** Refuses paths where the management API can have nothing. */
export function requireApiPath(request: Request, _response: Response, next: NextFunction): void {
  if (methodsAt(request.path).length === 0) throw new NotFound('nothing exists at this path');
  next();
}
