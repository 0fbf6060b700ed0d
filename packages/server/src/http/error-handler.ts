import { AppError, type ErrorKind, statusByKind } from '@certloop/contracts';
import type { NextFunction, Request, Response } from 'express';
import { type Logger, requestIdOf } from '../observability/logger.js';
import { chosenRefusal, dropBody } from './plain-requests.js';

/** Body of a refusal, in the shape of an API. */
export interface ErrorBody {
  readonly contentType: string;
  /** An object is sent as JSON. */
  readonly body: object | string;
}

export interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly describe: (refusal: AppError, request: Request, requestId: string) => ErrorBody;
}

/**
 * The one error handler of a service: a refusal is answered with the status of its kind and the API's own
 * body, and so is a database that is not available; anything else is a fault, logged with its cause and answered as
 * 500 without its text.
 */
export function errorHandler({ logger, describe }: ErrorHandlerOptions) {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const requestId = requestIdOf(response);
    const refusal = refusalOf(error);
    if (refusal.kind === 'internal') logger.error({ id: requestId, error }, 'request.unexpected_error');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { contentType, body } = describe(refusal, request, requestId);
    response.status(refusal.status);
    for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    response.setHeader('Content-Type', contentType);
    dropBody(request);
    response.send(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  };
}

const kindByStatus: ReadonlyMap<number, ErrorKind> = new Map(
  Object.entries(statusByKind).map(([kind, status]): [number, ErrorKind] => [status, kind as ErrorKind]),
);

/** Refusal that an error stands for; errors of the HTTP layer keep their status, all else is internal. */
function refusalOf(error: unknown): AppError {
  const chosen = chosenRefusal(error);
  if (chosen !== undefined) return chosen;
  const { status, type, message } = error instanceof Error ? (error as Error & HttpFault) : ({} as HttpFault);
  if (message?.startsWith('Failed to decode param') === true) {
    return new AppError('not_found', 'nothing exists at this path', { cause: error });
  }
  const kind = status === undefined || status >= 500 ? undefined : kindByStatus.get(status);
  if (kind === undefined)
    return new AppError('internal', 'the request could not be completed', { cause: error });
  return new AppError(kind, sentences[type ?? ''] ?? 'the request cannot be read', { cause: error });
}

interface HttpFault {
  readonly status?: number;
  readonly type?: string;
  readonly message?: string;
}

const sentences: Readonly<Record<string, string>> = {
  'entity.too.large': 'the body is larger than this service takes',
  'encoding.unsupported': 'the content encoding is not supported',
  'request.aborted': 'the request ended before its body was complete',
  'request.size.invalid': 'the body is not as long as its Content-Length says',
};
