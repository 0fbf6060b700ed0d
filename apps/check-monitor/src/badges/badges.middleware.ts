import { MethodNotAllowed } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import { type Clock, wholeMs } from '../instants.js';

const methods = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Opens badges to pages of any origin and keeps them out of every cache, since they show the present. Answers
 * preflights; refuses all methods but GET and HEAD.
 */
export function openBadge(clock: Clock) {
  return (request: Request, response: Response, next: NextFunction): void => {
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Access-Control-Allow-Headers', 'X-Api-Key, Content-Type');
    response.setHeader('Access-Control-Allow-Methods', 'GET, OPTIONS');
    response.setHeader('Access-Control-Max-Age', '600');
    response.setHeader('Cache-Control', 'max-age=0, no-cache, no-store, must-revalidate, private');
    response.setHeader('Expires', new Date(wholeMs(clock.now())).toUTCString());
    if (request.method === 'OPTIONS') response.status(204).end();
    else
      next(
        methods.includes(request.method)
          ? undefined
          : new MethodNotAllowed(request.method, methods.join(', ')),
      );
  };
}
