import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { AppError, Unavailable } from '@certloop/contracts';
import { type Logger, requestIdFrom } from '../observability/logger.js';
import { BrokenRequest } from './connections/broken-request.js';

// For paths that a service answers on Node's own HTTP, where Express would take a large part of the time.

/** Sets the X-Request-Id of the answer, and logs one line when the answer is out; returns the id. */
export function nameRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { logger, route }: { readonly logger: Logger; readonly route: string },
): string {
  const id = requestIdFrom(request.headers['x-request-id']);
  const began = performance.now();
  response.setHeader('X-Request-Id', id);
  response.once('close', () => {
    const ms = Math.round((performance.now() - began) * 100) / 100;
    const line = { id, method: request.method, route, status: response.statusCode, ms };
    logger.info(line, response.writableFinished ? 'request' : 'request.aborted');
  });
  return id;
}

/** Answers with a text and its length, unless a response has begun. */
export function sendText(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  text: string,
): void {
  if (response.headersSent) return;
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** Refusal that an error stands for; undefined for a fault of the service. */
export function chosenRefusal(error: unknown): AppError | undefined {
  if (error instanceof Unavailable) return error.refusal();
  if (error instanceof BrokenRequest) return error.refusal;
  return error instanceof AppError ? error : undefined;
}

/** Reads and drops what a client still sends: it would lose the answer if the connection broke. */
export function dropBody(request: IncomingMessage): void {
  if (!request.complete) request.resume();
}
