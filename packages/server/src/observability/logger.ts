import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { RequestWatch } from './request-watch.js';
import { logToStandardOutput } from './standard-output.js';
import { beginRequestSpan, currentTraceIds } from './tracing.js';

export type { Logger } from 'pino';

export interface LoggerOptions {
  /** Name of the service, in every line. */
  readonly service: string;
  readonly level: string;
  /** Where lines go; standard output when absent. */
  readonly destination?: DestinationStream;
}

/**
 * Logger that writes one JSON line per event: `{level, time, service, event, …}`, `time` in ISO 8601; within a trace
 * with its `trace_id` and `span_id`.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level,
      base: { service },
      messageKey: 'event',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: describeError },
      mixin: () => ({ ...currentTraceIds() }),
    },
    destination ?? logToStandardOutput(service),
  );
}

/**
 * The logged part of an error. Other members are omitted: database errors contain the values of the statement and whole
 * rows, and thus hashes of passwords, keys and addresses.
 */
function describeError(error: unknown): unknown {
  if (!isErrorLike(error)) return error;
  const { type, message, stack, ...more } = pino.stdSerializers.err(error);
  const { code, query } = more;
  const several = Array.isArray(error.errors) && { errors: error.errors.map(describeError) };
  return { type, message, stack, code, query, ...several };
}

/** Checks the structure, since errors of Node may come from another realm. */
function isErrorLike(error: unknown): error is Error & { readonly errors?: unknown } {
  return typeof error === 'object' && error !== null && 'message' in error && 'stack' in error;
}

/**
 * Middleware that assigns every request an id (its X-Request-Id if that is a plain word of up to 64 characters,
 * otherwise a new uuid), returns the id in the response, and logs one line when the response ends. The line contains the route
 * pattern, never the address: addresses contain keys and identifiers. Its level is info; successful probes have the
 * level debug, since they would fill the log of an idle service. `watch` counts the request by the same pattern. If
 * tracing is on, the request is also a span.
 */
export function requestLog(logger: Logger, watch?: RequestWatch) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const id = requestIdFrom(request.get('x-request-id'));
    const began = process.hrtime.bigint();
    const endRequest = watch?.beginRequest();
    const span = beginRequestSpan(request.method, request.headers['traceparent']);
    response.locals['requestId'] = id;
    response.setHeader('X-Request-Id', id);
    response.once('close', () => {
      const ms = Number((process.hrtime.bigint() - began) / 10_000n) / 100;
      const { method } = request;
      const { statusCode: status, writableFinished: isComplete } = response;
      const route = routeOf(response);
      const line = { id, method, route, status, ms, ...span?.ids };
      const level = isComplete && status < 400 && isProbe(route) ? 'debug' : 'info';
      logger[level](line, isComplete ? 'request' : 'request.aborted');
      span?.end({ route, status, isComplete });
      endRequest?.({ method, route, status: isComplete ? String(status) : 'aborted' });
    });
    if (span === undefined) next();
    else span.run(next);
  };
}

/** Paths that container engines, load balancers and Prometheus call every few seconds. */
function isProbe(route: string): boolean {
  return /^\/(?:health|metrics|status)(?:\/|$)/.test(route);
}

/** Id of the request of this response; empty before `requestLog` ran. */
export function requestIdOf(response: Response): string {
  const id: unknown = response.locals['requestId'];
  return typeof id === 'string' ? id : '';
}

/** Stores the matched route pattern, for the log. */
export function noteRoute(response: Response, pattern: string): void {
  response.locals['route'] = pattern;
}

function routeOf(response: Response): string {
  const route: unknown = response.locals['route'];
  return typeof route === 'string' ? route : 'unmatched';
}

const plainWord = /^[\w.:-]{1,64}$/;

/** Id of a request: its X-Request-Id if that is a plain word of up to 64 characters, otherwise a new uuid. */
export function requestIdFrom(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && plainWord.test(header) ? header : randomUUID();
}
