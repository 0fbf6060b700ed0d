import type { IncomingMessage } from 'node:http';
import { type AppError, InvalidInput } from '@certloop/contracts';

/** Why the body of a request can never be read to its end; `refusal` is the response to its sender. */
export class BrokenRequest extends Error {
  override readonly name = 'BrokenRequest';
  readonly refusal: AppError;

  constructor(refusal: AppError = new InvalidInput('the request ended before its body was complete')) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Fails the rest of a body, and leaves the connection open: the handler that waits for the body rejects with a
 * BrokenRequest and can still respond. Node's own `destroy` would close the connection.
 */
export function failBody(request: IncomingMessage, refusal: AppError): void {
  request.once('error', () => undefined);
  request._destroy = (error, done) => done(error);
  request.destroy(new BrokenRequest(refusal));
}

/** Calls `fail` with a BrokenRequest when the body breaks off, or at once when it already did. */
export function onBrokenBody(request: IncomingMessage, fail: (error: BrokenRequest) => void): void {
  const tell = () => {
    if (request.complete) return;
    const { errored } = request;
    fail(errored instanceof BrokenRequest ? errored : new BrokenRequest());
  };
  if (request.destroyed) tell();
  else request.once('error', tell).once('close', tell);
}
