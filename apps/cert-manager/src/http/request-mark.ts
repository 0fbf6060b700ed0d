import { createHash } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';

/** Mark of a request that may be repeated, as it is stored; both SHA-256 in hex. */
export interface RequestMark {
  /** Of the key with the user and the operation, so that equal keys of different users do not collide. */
  readonly requestKey: string;
  readonly requestHash: string;
}

const keyFormat = /^[\x21-\x7e]{1,200}$/;

/**
 * Mark of a request by its Idempotency-Key; undefined when it has none. `body` is the body as it was judged. Throws
 * InvalidInput for a key that is not 1 to 200 visible ASCII characters.
 */
export function requestMarkOf(caller: Caller, operation: string, body: object): RequestMark | undefined {
  const { idempotencyKey: key, userId } = caller;
  if (key === undefined) return undefined;
  if (!keyFormat.test(key)) {
    throw fault('must be 1 to 200 visible ASCII characters', 'invalid_idempotency_key');
  }
  return { requestKey: hash([operation, userId, key]), requestHash: hash(Object.entries(body).toSorted()) };
}

/** Throws InvalidInput unless the request is the one that was sent under its key before. */
export function requireSameRequest(mark: RequestMark, { requestHash }: { requestHash: string | null }): void {
  if (mark.requestHash === requestHash) return;
  throw fault('was used for another request; send a new key', 'idempotency_key_reused');
}

function fault(message: string, code: string): InvalidInput {
  return new InvalidInput(`Idempotency-Key: ${message}`, {
    code,
    fields: [{ path: 'Idempotency-Key', code: 'not_allowed', message }],
  });
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
