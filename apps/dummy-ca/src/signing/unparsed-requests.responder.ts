import { METHODS, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { allowOf, errorText } from './error-body.js';

/** What Node says of bytes that are no HTTP request. */
interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/**
 * Makes the server answer what Node keeps from every handler, in the API's own shape: requests for a tunnel or
 * with an unknown expectation, and what its parser refuses. A method that HTTP parsers do not know is as wrong as any other method, not a
 * broken request.
 */
export function answerUnparsed(server: Server): void {
  server.on('connect', ({ url = '' }, socket) => {
    socket.end(refuseMethod({ method: 'CONNECT', path: url.split('?')[0] ?? '' }));
  });
  // RFC 9110 §10.1.1 lets a server pass over an expectation that it does not know.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('clientError', (error: ParseError, socket) => {
    if (socket.writable && !isAnswering(socket)) {
      socket.end(replyTo(error.code ?? '', requestLineOf(error.rawPacket)));
    } else socket.destroy();
  });
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
}

function replyTo(code: string, line: RequestLine | undefined): string {
  const isUnheardOf = line !== undefined && !METHODS.includes(line.method);
  if (code === 'HPE_INVALID_METHOD' && isUnheardOf) return refuseMethod(line);
  const [status, message] = statusByCode[code] ?? [400, 'the request is not valid HTTP'];
  return httpReply(status, line?.path ?? '', message);
}

function refuseMethod({ method, path }: RequestLine): string {
  const allow = allowOf(path);
  return allow === undefined
    ? httpReply(404, path, 'nothing exists at this path')
    : httpReply(405, path, `${method} is not allowed here`, [`Allow: ${allow}`]);
}

const statusByCode: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the header fields are larger than this service takes'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are larger than this service takes'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};

function httpReply(status: number, path: string, message: string, fields: readonly string[] = []): string {
  const { contentType, body } = errorText(path, message);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...fields,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Method and path when the packet begins with a request line (RFC 9112 §3), without its query. */
function requestLineOf(packet: Buffer | undefined): RequestLine | undefined {
  const start = packet?.subarray(0, 2_048).toString('latin1') ?? '';
  const [, method, path] = /^([!#$%&'*+.^_`|~\w-]+) ([^\s?]*)\S* HTTP\/1\.[01]\r?\n/.exec(start) ?? [];
  return method === undefined || path === undefined ? undefined : { method, path };
}

/** An answer is under way on the connection; another one would land in its middle. */
function isAnswering(socket: Duplex): boolean {
  const { _httpMessage: answer } = socket as Duplex & { readonly _httpMessage?: unknown };
  return answer !== undefined && answer !== null;
}
