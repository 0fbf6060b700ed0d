import type { RequestListener } from 'node:http';
import type { RequestWatch } from './request-watch.js';
import { beginRequestSpan } from './tracing.js';

export interface WatchHandlerOptions {
  /** Template of the path under which requests are counted. */
  readonly route: string;
  /** Where they are counted; nowhere when absent. */
  readonly metrics?: RequestWatch;
}

/** A handler that stands beside Express, watched as one within it: its requests are counted, and are spans. */
export function watchHandler(
  handler: RequestListener,
  { route, metrics }: WatchHandlerOptions,
): RequestListener {
  return (request, response) => {
    const method = request.method ?? '';
    const end = metrics?.beginRequest();
    const span = beginRequestSpan(method, request.headers['traceparent']);
    response.once('close', () => {
      const { statusCode: status, writableFinished: isComplete } = response;
      end?.({ method, route, status: isComplete ? String(status) : 'aborted' });
      span?.end({ route, status, isComplete });
    });
    if (span === undefined) handler(request, response);
    else span.run(() => handler(request, response));
  };
}
