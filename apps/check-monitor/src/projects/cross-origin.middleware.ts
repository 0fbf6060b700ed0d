import { MethodNotAllowed, NotFound } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import { methodsAt } from './api-paths.js';
import { unknownUniqueKey } from './caller.js';

const fixedHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'X-Api-Key, Content-Type',
  'Access-Control-Max-Age': '600',
};
const methodsHeader = 'Access-Control-Allow-Methods';

/** Headers that let pages of any origin call a path of the management API by these methods. */
export function crossOriginHeaders(methods: readonly string[]): Readonly<Record<string, string>> {
  return { ...fixedHeaders, [methodsHeader]: [...methods, 'OPTIONS'].join(', ') };
}

/** Allow header of a path with these methods; GET includes HEAD. */
export function allowHeader(methods: readonly string[]): string {
  return [...withHead(methods), 'OPTIONS'].join(', ');
}

function withHead(methods: readonly string[]): string[] {
  return methods.includes('GET') ? [...methods, 'HEAD'] : [...methods];
}

/**
 * Opens the management API to pages of any origin (it ignores cookies). Rejects unknown paths, answers preflights
 * without a key, and rejects methods that a path does not support.
 */
export function openToOrigins(request: Request, response: Response, next: NextFunction): void {
  const methods = methodsAt(request.path);
  if (methods.length === 0) throw new NotFound('nothing exists at this path');
  for (const [name, value] of Object.entries(crossOriginHeaders(methods))) response.setHeader(name, value);
  if (request.method === 'OPTIONS') {
    response.status(204).end();
    return;
  }
  if (!withHead(methods).includes(request.method))
    throw new MethodNotAllowed(request.method, allowHeader(methods));
  next();
}

/** Removes the cross-origin headers if a uuid is unknown, as the reference does. */
export function closeUnknown(
  error: unknown,
  _request: Request,
  response: Response,
  next: NextFunction,
): void {
  if (error instanceof NotFound && error.code !== unknownUniqueKey) {
    for (const name of [...Object.keys(fixedHeaders), methodsHeader]) response.removeHeader(name);
  }
  next(error);
}
