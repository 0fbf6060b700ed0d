import { randomUUID } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { AppError, dummyCaContract, InvalidInput, type SigningReply } from '@certloop/contracts';
import { type Logger, parseInput, parseJsonBody } from '@certloop/server';
import { parseIdempotencyKey } from './asked-before.store.js';
import { errorText } from './error-body.js';
import { receiveBody } from './receive-body.responder.js';
import { type SigningDeps, signCsr } from './signing.service.js';

const { signCsr: endpoint } = dummyCaContract;
const csrAddress = /^(?:https?:\/\/[^/?#]+)?\/csr\/?(?:[?#]|$)/;

/** Whether a request target names the path of CSRs, which `csrResponder` answers alone. */
export function isCsrAddress(target: string | undefined): boolean {
  return target !== undefined && csrAddress.test(target);
}

/**
 * Answers every request for the path of CSRs: signs what is posted, refuses all else as JSON `{error}`.
 * It stands on Node's own HTTP, not on Express, which would take a third of the time of a certificate.
 */
export function csrResponder(deps: SigningDeps, logger: Logger): RequestListener {
  return (request, response) => {
    const id = nameRequest(request, response, logger);
    replyTo(request, deps).then(
      (reply) => send(response, 200, { 'Content-Type': jsonType }, JSON.stringify(reply)),
      (error: unknown) => {
        if (!(error instanceof AppError) || error.kind === 'internal') {
          logger.error({ id, error }, 'request.fault');
        }
        // A client that still sends its body would lose the answer if the connection broke: let it finish.
        if (!request.complete) request.resume();
        refuse(response, error);
      },
    );
  };
}

const jsonType = 'application/json; charset=utf-8';

async function replyTo(request: IncomingMessage, deps: SigningDeps): Promise<SigningReply> {
  if (request.method !== endpoint.method) {
    throw new AppError('method_not_allowed', `${request.method} is not allowed here`, {
      headers: { Allow: endpoint.method },
    });
  }
  const bytes = await receiveBody(request);
  const body = parseInput(endpoint.body.schema, parseJson(bytes, request.headers['content-type']), 'body');
  const key = parseIdempotencyKey(request.headers['idempotency-key']);
  const { id, certificatePem } = await signCsr(deps, body, key);
  return { id, status: 'success', message: 'the certificate is issued', certificate: certificatePem };
}

/** No 415 is documented for this path: a body of another type is a wrong body like any other. */
function parseJson(bytes: Uint8Array, contentType: string | undefined): unknown {
  try {
    return parseJsonBody(bytes, contentType);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new InvalidInput(error.message, { cause: error });
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  const refusal = error instanceof AppError ? error : new AppError('internal', 'the CSR could not be signed');
  const { contentType, body } = errorText(endpoint.path, refusal.message);
  send(response, refusal.status, { ...refusal.headers, 'Content-Type': contentType }, body);
}

function send(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, text: string): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

const soundRequestId = /^[\w.:-]{1,64}$/;

/** Name of the request, which the answer carries and the line in the log that tells its end. */
function nameRequest(request: IncomingMessage, response: ServerResponse, logger: Logger): string {
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && soundRequestId.test(sent) ? sent : randomUUID();
  const began = performance.now();
  response.setHeader('X-Request-Id', id);
  response.once('close', () => {
    const ms = Math.round((performance.now() - began) * 100) / 100;
    const { method } = request;
    const line = { id, method, route: endpoint.path, status: response.statusCode, ms };
    logger.info(line, response.writableFinished ? 'request' : 'request.aborted');
  });
  return id;
}
