import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { MethodNotAllowed, NotFound } from '@certloop/contracts';
import { chosenRefusal, type Logger, plainHandler, receiveBeginning, sendText } from '@certloop/server';
import { type Clock, type Micros, wholeMs } from '../../instants.js';
import { type AddressRange, originOf } from '../client-address.js';
import { type IncomingPing, knownCheck } from '../incoming-ping.js';
import { parsePingAddress } from '../ping-address.js';
import type { PingIntake } from './receive-ping.service.js';

export interface PingRequestDeps {
  readonly intake: PingIntake;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Maximum bytes stored of a body. */
  readonly bodyLimit: number;
  readonly trustedProxies: readonly AddressRange[];
}

/** Beginning of every ping address. */
export const pingPrefix = '/ping/';

const pingMethods = ['GET', 'HEAD', 'POST', 'PUT'];
const maxBodyBytes = 2_621_440;
const maxUserAgentLength = 200;

/**
 * Handles requests for ping addresses without a framework, which would cost more than the rest of a ping. It responds
 * only after the ping is on disk.
 */
export function createPingResponder(deps: PingRequestDeps): RequestListener {
  return plainHandler({
    logger: deps.logger,
    respond: (request, response) => respond(deps, request, response),
    refuse: (error, request, response) => refuse(deps, request, response, error),
  });
}

async function respond(
  deps: PingRequestDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
  const address = parsePingAddress(path.slice(pingPrefix.length), query);
  if (address === undefined) throw new NotFound('not found');
  const method = request.method ?? '';
  if (method === 'OPTIONS') return answerPreflight(response);
  if (!pingMethods.includes(method))
    throw new MethodNotAllowed(method, [...pingMethods, 'OPTIONS'].join(', '));
  const ping: IncomingPing = {
    address,
    method,
    origin: originOf(senderOf(request), deps.trustedProxies),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, maxUserAgentLength),
    body: await receiveBeginning(request, {
      keepBytes: deps.bodyLimit,
      maxBytes: Math.max(maxBodyBytes, deps.bodyLimit),
    }),
  };
  const { isNew } = await deps.intake.receive(ping);
  send(response, isNew ? 201 : 200, isNew ? 'Created' : 'OK', {
    'Access-Control-Allow-Origin': '*',
    'Ping-Body-Limit': String(deps.bodyLimit),
    ...uncached(deps.clock.now()),
  });
}

function senderOf(request: IncomingMessage) {
  const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  return {
    peer: request.socket.remoteAddress,
    forwardedFor: first(request.headers['x-forwarded-for']),
    forwardedProto: first(request.headers['x-forwarded-proto']),
  };
}

function answerPreflight(response: ServerResponse): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Methods', [...pingMethods, 'OPTIONS'].join(', '));
  response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
  response.setHeader('Access-Control-Max-Age', '600');
  response.writeHead(204).end();
}

function refuse(
  { logger, clock }: PingRequestDeps,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const refusal = chosenRefusal(error);
  if (refusal === undefined) logger.error({ error }, 'ping.failed');
  const isTemporary = isByUuid(request) || refusal?.code === knownCheck;
  send(response, refusal?.status ?? 500, refusal?.message ?? 'the ping could not be stored', {
    ...refusal?.headers,
    ...(isTemporary && uncached(clock.now())),
  });
}

/** Whether the address has a uuid: its check may be created a moment later, so caches must not store the rejection. */
function isByUuid(request: IncomingMessage): boolean {
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
  return parsePingAddress(path.slice(pingPrefix.length), query)?.target.kind === 'uuid';
}

type Headers = Readonly<Record<string, string>>;

function uncached(now: Micros): Headers {
  return {
    'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    Expires: new Date(wholeMs(now)).toUTCString(),
  };
}

function send(response: ServerResponse, status: number, text: string, headers: Headers): void {
  sendText(response, status, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }, text);
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
