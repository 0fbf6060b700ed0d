import { createHash } from 'node:crypto';
import { MethodNotAllowed, statusContract } from '@certloop/contracts';
import { type Clock, noteRoute, receiveBytes } from '@certloop/server';
import type { Request, Response } from 'express';
import type { AnswerOcsp, OcspAnswer } from './ocsp.service.js';

// a request about twenty certificates has 2 kB; a signed one contains its own certificates
const bodyBytes = 8_192;

/** Handler of everything below the path of OCSP: POST with the request as body, GET with its Base64 in the path. */
export function ocspHandler(answer: AnswerOcsp, clock: Clock) {
  return async (request: Request, response: Response): Promise<void> => {
    const isGet = request.method === 'GET' || request.method === 'HEAD';
    const { askOcsp, askOcspByAddress } = statusContract;
    noteRoute(response, (isGet ? askOcspByAddress : askOcsp).path);
    if (!isGet && request.method !== 'POST') throw new MethodNotAllowed(request.method, 'GET, HEAD, POST');
    const der = isGet ? requestInPath(request.path) : await requestInBody(request, response);
    const reply = await answer(der);
    response.setHeader('Content-Type', 'application/ocsp-response');
    for (const [name, value] of cacheFields(isGet ? reply.validity : undefined, reply.der, clock)) {
      response.setHeader(name, value);
    }
    response.send(reply.der);
  };
}

/** Decodes Base64 (RFC 6960, Appendix A.1); empty, and so an invalid request, if the text is not Base64. */
function requestInPath(path: string): Buffer {
  // some clients put a second slash behind the address of the responder
  const text = decoded(path.replace(/^\/+/, ''));
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Reads the body; empty, and so an invalid request, if it is too large or has a content encoding. */
async function requestInBody(request: Request, response: Response): Promise<Buffer> {
  try {
    return Buffer.from(await receiveBytes(request, response, bodyBytes));
  } catch {
    // the rest is read and dropped, so that the response arrives
    request.resume();
    return Buffer.alloc(0);
  }
}

/** RFC 5019 §6.2: caches may store the response until the next update, and must not change it. */
function cacheFields(
  validity: OcspAnswer['validity'],
  der: Buffer,
  clock: Clock,
): readonly (readonly [string, string])[] {
  if (validity === undefined) return [['Cache-Control', 'no-store']];
  const { thisUpdate, nextUpdate } = validity;
  const seconds = Math.max(0, Math.floor((nextUpdate.getTime() - clock.now().getTime()) / 1000));
  return [
    ['Cache-Control', `max-age=${seconds}, public, no-transform, must-revalidate`],
    ['Last-Modified', thisUpdate.toUTCString()],
    ['Expires', nextUpdate.toUTCString()],
    ['ETag', `"${createHash('sha1').update(der).digest('hex')}"`],
  ];
}
