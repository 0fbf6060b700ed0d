import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes up to which a body is handed on in the turn in which it arrived. */
const maxBytesAtOnce = 16_384;

let lastTurn = Promise.resolve();

/**
 * The bytes of a body: if they are more than 16 KiB, in a turn of the event loop in which no other such body is handed
 * on. What follows, such as parsing, takes some milliseconds: without turns between, bodies that arrive at the same
 * time would hold others up for the sum of them.
 */
export function inOwnTurn<Bytes extends Uint8Array>(bytes: Bytes): Bytes | Promise<Bytes> {
  if (bytes.length <= maxBytesAtOnce) return bytes;
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn.then(() => bytes);
}
