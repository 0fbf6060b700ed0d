import type { ServerResponse } from 'node:http';

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function text(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
}

export function busy(response: ServerResponse): void {
  response.writeHead(503, { 'retry-after': '7200', 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: 'too busy' }));
}

export function limited(response: ServerResponse): void {
  response.writeHead(429, { 'retry-after': '40', 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: 'too many orders' }));
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}

/** Sends until the other side has had enough. */
export function flood(response: ServerResponse): void {
  const chunk = Buffer.alloc(65_536, 0x20);
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
