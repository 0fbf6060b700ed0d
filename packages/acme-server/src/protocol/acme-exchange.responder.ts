import type { AcmeReply } from '@certloop/acme-server';
import { AcmeProblem } from '@certloop/contracts';
import type { Request, Response } from 'express';
import { type AcmeLinks, acmeLinks, acmePaths, link } from './acme-links.js';

/** Returns the address below which a request finds the server, such as `https://ca.test:3444`. */
export type BaseOf = (request: Request) => string;

/**
 * Returns the base as the client that asks writes it, or what the operator says. Throws `malformed` for a Host that is
 * none.
 */
export function requestBase(request: Request, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl;
  const host = request.get('host') ?? 'localhost';
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host)) {
    throw new AcmeProblem('malformed', 'the Host of the request is not valid');
  }
  return `${request.protocol}://${host}`;
}

export const linksFor = (request: Request, baseOf: BaseOf): AcmeLinks => acmeLinks(baseOf(request));

/** Address that was asked, as the client that asks writes it. */
export function urlOf({ originalUrl }: Request, links: AcmeLinks): string {
  // What comes by way of a proxy has the whole address in its request line.
  return `${links.base}${originalUrl.replace(/^https?:\/\/[^/]*/i, '')}`;
}

/** Header fields of every answer: nothing may be stored (RFC 8555 §7.2), the directory is linked (§7.1). */
export function setAcmeHeaders(request: Request, response: Response, links: AcmeLinks): void {
  response.setHeader('Cache-Control', 'no-store');
  if (request.path !== acmePaths.directory) response.append('Link', link(links.of('directory'), 'index'));
}

export function sendReply(response: Response, reply: AcmeReply): void {
  const { status, body, location, links = [], retryAfterSeconds } = reply;
  response.status(status);
  if (location !== undefined) response.setHeader('Location', location);
  for (const each of links) response.append('Link', each);
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  if (body === undefined) response.end();
  else if (typeof body === 'string') {
    response.setHeader('Content-Type', reply.contentType ?? 'text/plain; charset=utf-8');
    response.send(Buffer.from(body));
  } else {
    response.setHeader('Content-Type', 'application/json');
    response.send(Buffer.from(JSON.stringify(body)));
  }
}
