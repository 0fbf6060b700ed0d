import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Endpoint, GivenReply, ResponseShape } from '@certloop/contracts';
import type { Response } from 'express';
import { type Encoding, negotiateEncoding, sendBytes } from './compression.js';
import { sendPieces } from './send-pieces.js';

interface Sending {
  readonly shape: ResponseShape;
  readonly isCompressed: boolean;
}

export async function sendReply(
  response: Response,
  reply: GivenReply<Endpoint>,
  { shape, isCompressed }: Sending,
): Promise<void> {
  const { body } = reply as { body: unknown };
  response.status(reply.status);
  if (shape.kind === 'text' || shape.kind === 'bytes') response.setHeader('Content-Type', shape.contentType);
  if (shape.kind === 'stream') response.setHeader('Content-Type', shape.contentTypes[0]);
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  switch (shape.kind) {
    case 'json':
      // as bytes, since Express would add a charset, which the type does not have (RFC 8259 §11)
      response.setHeader('Content-Type', 'application/json');
      await sendJson(response, body, isCompressed);
      break;
    case 'text':
      response.send(Buffer.from(String(body)));
      break;
    case 'bytes':
      response.send(Buffer.from(body as Uint8Array));
      break;
    case 'stream':
      await sendPieces(response, body as AsyncIterable<string | Uint8Array>);
      break;
    case 'empty':
      response.end();
  }
}

async function sendJson(response: Response, body: unknown, isCompressed: boolean): Promise<void> {
  const encoding = isCompressed ? negotiateEncoding(response) : undefined;
  if (isList(body)) await sendList(response, body, encoding);
  else await sendBytes(response, Buffer.from(JSON.stringify(body)), encoding);
}

function isList(body: unknown): body is Iterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.iterator in body;
}

// some milliseconds of work, whatever the members are
const membersAtOnce = 250;
const lettersAtOnce = 262_144;

/**
 * Sends a list as JSON, compressed if `encoding` is given. A long one is made and sent piece by piece, and others have a
 * turn between two of them; a caller who goes away ends the work.
 */
async function sendList(response: Response, members: Iterable<unknown>, encoding?: Encoding): Promise<void> {
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
