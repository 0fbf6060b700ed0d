import type { Endpoint, GivenReply, ResponseShape } from '@certloop/contracts';
import type { Response } from 'express';
import { negotiateEncoding, sendBytes } from './compression.js';
import { sendList } from './send-list.js';
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
