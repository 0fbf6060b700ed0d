import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Returns the latest response of a connection; undefined before its first request. */
export type LatestResponse = (socket: Duplex) => ServerResponse | undefined;

/**
 * Follows the requests of a server, before any handler sees them. Responses that wait for an earlier one are closed
 * with their connection: Node would never close them, and their handlers would wait for ever.
 */
export function followResponses(server: Server): LatestResponse {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const waiting = new WeakMap<Duplex, ServerResponse[]>();
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const former = latest.get(socket);
    latest.set(socket, response);
    if (former === undefined || former.writableFinished) return;
    const queue = waiting.get(socket) ?? [];
    if (!waiting.has(socket)) {
      waiting.set(socket, queue);
      socket.once('close', () => queue.forEach(closeUnsent));
    }
    while (queue[0]?.writableFinished === true) queue.shift();
    queue.push(response);
  });
  return (socket) => latest.get(socket);
}

function closeUnsent(response: ServerResponse): void {
  if (response.socket !== null || response.closed || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}
