import { type IncomingMessage, METHODS, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorKind, NotFound } from '@certloop/contracts';
import { failBody } from './connections/broken-request.js';
import { endAfter, endGently } from './connections/ending.js';
import { followResponses } from './connections/open-responses.js';
import type { ErrorBody } from './error-handler.js';
import { dropBody } from './plain-requests.js';

export interface UnparsedOptions {
  /** The API's own body; `path` is as sent, without its query, and empty when there was no request line. */
  readonly describe: (refusal: AppError, path: string) => ErrorBody;
  /** Methods of a path in the form of an Allow header; undefined where nothing exists. */
  readonly allowOf: (path: string) => string | undefined;
  /** Returns the headers of every response of a path, where a wrong method is refused; nothing when absent. */
  readonly headersOf?: (path: string) => Readonly<Record<string, string>>;
}

/** Error of Node for bytes that are not an HTTP request. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
}

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Event of a server of `listen`, with the request and its response: the request has more than one Host field. */
export const twoHosts = 'twoHosts';

/**
 * Makes a server answer what Node keeps from every handler, in the API's own shape: requests for a tunnel,
 * with an unknown expectation, and what its parser refuses or waits for in vain. A method that HTTP parsers
 * do not know is refused like one that the path does not have, since the request itself is not broken.
 *
 * Responses leave in the order of their requests (RFC 9112 §9.3.2). While a request is under way, what is broken behind
 * it gets no response of its own: the connection ends after the response to that request.
 */
export function answerUnparsed(server: Server, options: UnparsedOptions): void {
  const latestOn = followResponses(server);
  const isEnding = new WeakSet<Duplex>();
  server.on('connect', ({ url = '' }, socket) => {
    // Node listens for nothing on such a connection any more
    socket.on('error', () => socket.destroy()).resume();
    const text = rawReply(refuseMethod({ method: 'CONNECT', path: url.split('?')[0] ?? '' }, options));
    const latest = latestOn(socket);
    if (latest === undefined || latest.writableFinished) endGently(socket, text);
    else latest.once('finish', () => endGently(socket, text));
  });
  server.on(twoHosts, (request: IncomingMessage, response: ServerResponse) => {
    const refusal = new AppError('invalid_input', 'the request has more than one Host field');
    const { status, headers, body } = reply(refusal, request.url?.split('?')[0] ?? '', options);
    dropBody(request);
    response.writeHead(status, headers).end(body);
  });
  // RFC 9110 §10.1.1 lets a server pass over an expectation that it does not know.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: ParseError, socket) => {
    // what arrives behind a broken message is dropped
    if (isEnding.has(socket)) return;
    isEnding.add(socket);
    if (!socket.writable) return void socket.destroy();
    const latest = latestOn(socket);
    switch (stepAfter(latest)) {
      case 'refuse':
        return endGently(
          socket,
          rawReply(replyTo(error.code ?? '', requestLineOf(error.rawPacket), options)),
        );
      case 'end':
        return endGently(socket);
      case 'fail body':
        if (latest !== undefined) failBody(latest.req, refusalOf(error.code ?? ''));
    }
    if (latest !== undefined) endAfter(latest, socket);
  });
}

/**
 * Returns what follows a message that cannot be read, by the latest request before it, which may be that message: it is
 * incomplete while its body breaks off. A request never gets two responses, and what follows `Connection: close` none.
 */
function stepAfter(
  latest: ServerResponse | undefined,
): 'refuse' | 'end' | 'fail body' | 'end after the response' {
  if (latest === undefined) return 'refuse';
  const { complete: isWhole } = latest.req;
  if (latest.writableFinished) return isWhole && latest.shouldKeepAlive ? 'refuse' : 'end';
  return isWhole ? 'end after the response' : 'fail body';
}

function replyTo(code: string, line: RequestLine | undefined, options: UnparsedOptions): Reply {
  const isUnheardOf = line !== undefined && !METHODS.includes(line.method);
  if (code === 'HPE_INVALID_METHOD' && isUnheardOf) return refuseMethod(line, options);
  return reply(refusalOf(code), line?.path ?? '', options);
}

function refusalOf(code: string): AppError {
  const [kind, message] = refusalByCode[code] ?? ['invalid_input', 'the request is not valid HTTP'];
  return new AppError(kind, message);
}

const refusalByCode: Readonly<Record<string, readonly [ErrorKind, string]>> = {
  HPE_HEADER_OVERFLOW: ['header_fields_too_large', 'the header fields are larger than this service takes'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'payload_too_large',
    'the chunk extensions are larger than this service takes',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request did not arrive in time'],
};

function refuseMethod({ method, path }: RequestLine, options: UnparsedOptions): Reply {
  const allow = options.allowOf(path);
  if (allow === undefined) return reply(new NotFound('nothing exists at this path'), path, options);
  const headers = { ...options.headersOf?.(path), Allow: allow };
  return reply(
    new AppError('method_not_allowed', `${method} is not allowed here`, { headers }),
    path,
    options,
  );
}

function reply(refusal: AppError, path: string, { describe }: UnparsedOptions): Reply {
  const { contentType, body } = describe(refusal, path);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = {
    ...refusal.headers,
    'Content-Type': contentType,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  };
  return { status: refusal.status, headers, body: text };
}

function rawReply({ status, headers, body }: Reply): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', body].join('\r\n');
}

/** Method and path when the packet begins with a request line (RFC 9112 §3), without its query. */
function requestLineOf(packet: Buffer | undefined): RequestLine | undefined {
  const start = packet?.subarray(0, 2_048).toString('latin1') ?? '';
  const [, method, path] = /^([!#$%&'*+.^_`|~\w-]+) ([^\s?]*)\S* HTTP\/1\.[01]\r?\n/.exec(start) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}
