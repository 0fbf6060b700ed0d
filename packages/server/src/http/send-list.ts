import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { type Encoding, sendBytes } from './compression.js';
import { sendPieces } from './send-pieces.js';

// some milliseconds of work, whatever the members are
const membersAtOnce = 250;

/**
 * Sends a list as JSON, compressed if `encoding` is given. A long one is made and sent piece by piece, and others have a
 * turn between two of them; a caller who goes away ends the work.
 */
export async function sendList(
  response: Response,
  members: Iterable<unknown>,
  encoding?: Encoding,
): Promise<void> {
  const iterator = members[Symbol.iterator]();
  const first = take(iterator);
  if (first.length < membersAtOnce) await sendBytes(response, Buffer.from(JSON.stringify(first)), encoding);
  else await sendPieces(response, piecesOf(first, iterator), encoding);
}

let turns: Promise<unknown> = Promise.resolve();

/** A turn of the event loop that no other list has: many of them at once hold others up no longer than one. */
function ownTurn(): Promise<unknown> {
  turns = turns.then(() => nextTurn());
  return turns;
}

async function* piecesOf(first: unknown[], iterator: Iterator<unknown>): AsyncGenerator<Buffer> {
  try {
    let before = '[';
    for (let members = first; members.length > 0; members = take(iterator)) {
      yield Buffer.from(before + JSON.stringify(members).slice(1, -1));
      before = ',';
      await ownTurn();
    }
    yield Buffer.from(']');
  } finally {
    iterator.return?.();
  }
}

function take(iterator: Iterator<unknown>): unknown[] {
  const taken: unknown[] = [];
  while (taken.length < membersAtOnce) {
    const { done, value } = iterator.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}
