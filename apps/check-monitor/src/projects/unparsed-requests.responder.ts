import type { Server } from 'node:http';
import { answerUnparsed as answerUnparsedBy } from '@certloop/server';
import { methodsAt } from './api-paths.js';
import { allowHeader, crossOriginHeaders } from './cross-origin.middleware.js';

/** Answers requests that Node rejects before any handler, in the form of the management API or of pings. */
export function answerUnparsed(server: Server): void {
  answerUnparsedBy(server, {
    allowOf,
    headersOf: (path) =>
      isPing(path) ? {} : { 'Cache-Control': 'no-store', ...crossOriginHeaders(methodsOf(path)) },
    describe: ({ message }, path) =>
      isPing(path)
        ? { contentType: 'text/html; charset=utf-8', body: message }
        : { contentType: 'application/json', body: { error: message } },
  });
}

function isPing(path: string): boolean {
  return path.startsWith('/ping/');
}

function allowOf(path: string): string | undefined {
  if (isPing(path)) return 'GET, HEAD, POST, PUT, OPTIONS';
  const methods = methodsOf(path);
  return methods.length === 0 ? undefined : allowHeader(methods);
}

function methodsOf(path: string): string[] {
  const [, below] = /^\/api\/v[123](\/.*)$/.exec(path) ?? [];
  return below === undefined ? [] : methodsAt(below);
}
