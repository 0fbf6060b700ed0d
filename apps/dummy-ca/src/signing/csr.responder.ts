import type { IncomingMessage, RequestListener } from 'node:http';
import {
  AppError,
  dummyCaContract,
  InvalidInput,
  MethodNotAllowed,
  type SigningReply,
} from '@certloop/contracts';
import {
  chosenRefusal,
  inOwnTurn,
  type Logger,
  maxPublicValues,
  nameRequest,
  onBrokenBody,
  parseInput,
  parseJsonBody,
  plainHandler,
  sendText,
} from '@certloop/server';
import { errorText } from './error-body.js';
import { parseIdempotencyKey } from './idempotency.store.js';
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
  return plainHandler({
    logger,
    respond: async (request, response) => {
      nameRequest(request, response, { logger, route: endpoint.path });
      const reply = await replyTo(request, deps);
      sendText(response, 200, { 'Content-Type': jsonType }, JSON.stringify(reply));
    },
    refuse: (error, _request, response) => {
      const refusal = chosenRefusal(error) ?? new AppError('internal', 'the CSR could not be signed');
      if (refusal.kind === 'internal') {
        logger.error({ id: response.getHeader('X-Request-Id'), error }, 'request.unexpected_error');
      }
      const { contentType, body } = errorText(endpoint.path, refusal.message);
      sendText(response, refusal.status, { ...refusal.headers, 'Content-Type': contentType }, body);
    },
  });
}

const jsonType = 'application/json; charset=utf-8';

async function replyTo(request: IncomingMessage, deps: SigningDeps): Promise<SigningReply> {
  if (request.method !== endpoint.method) {
    throw new MethodNotAllowed(request.method, endpoint.method);
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
    return parseJsonBody(bytes, contentType, maxPublicValues);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new InvalidInput(error.message, { cause: error });
  }
}

/** Largest body of a request to sign, in octets. */
const csrBodyBytes = 65_536;

/**
 * Octets of a body, large ones in a turn of their own. Throws payload_too_large above `csrBodyBytes`, as soon as that is known, InvalidInput for an
 * encoded body, and BrokenRequest for one that breaks off.
 */
function receiveBody(request: IncomingMessage): Promise<Uint8Array> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = request.headers;
  if (encoding.toLowerCase() !== 'identity') {
    throw new InvalidInput(`the content encoding ${encoding.slice(0, 40)} is not supported`);
  }
  if (Number(length) > csrBodyBytes) throw tooLarge();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > csrBodyBytes) reject(tooLarge());
      else chunks.push(chunk);
    });
    request.once('end', () => resolve(inOwnTurn(joined(chunks))));
    onBrokenBody(request, reject);
  });
}

// Most bodies arrive in one piece, which need not be copied.
function joined(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function tooLarge(): AppError {
  return new AppError('payload_too_large', `the body is larger than ${csrBodyBytes} octets`);
}
