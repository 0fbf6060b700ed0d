import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { type Encoding, sendBytes } from './compression.js';
import { sendPieces } from './send-pieces.js';

// some milliseconds of work, whatever the members are
const membersAtOnce = 250;
const lettersAtOnce = 262_144;

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
  if (first.isLast) await sendBytes(response, Buffer.from(`[${first.text}]`), encoding);
  else await sendPieces(response, piecesOf(first, iterator), encoding);
}

let turns: Promise<unknown> = Promise.resolve();

/** A turn of the event loop that no other list has: many of them at once hold others up no longer than one. */
function ownTurn(): Promise<unknown> {
  turns = turns.then(() => nextTurn());
  return turns;
}

/** JSON of some members, without brackets. */
interface Piece {
  readonly text: string;
  readonly isLast: boolean;
}

async function* piecesOf(first: Piece, iterator: Iterator<unknown>): AsyncGenerator<Buffer> {
  try {
    let before = '[';
    for (let piece = first; ; piece = take(iterator)) {
      if (piece.text !== '') {
        yield Buffer.from(before + piece.text);
        before = ',';
      }
      if (piece.isLast) break;
      await ownTurn();
    }
    yield Buffer.from(']');
  } finally {
    iterator.return?.();
  }
}

function take(iterator: Iterator<unknown>): Piece {
  const texts: string[] = [];
  for (let letters = 0; texts.length < membersAtOnce && letters < lettersAtOnce; ) {
    const { done, value } = iterator.next();
    if (done === true) return { text: texts.join(','), isLast: true };
    const text = JSON.stringify(value) ?? 'null';
    letters += text.length;
    texts.push(text);
  }
  return { text: texts.join(','), isLast: false };
}
