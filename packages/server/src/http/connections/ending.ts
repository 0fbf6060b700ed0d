import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

const lingerMs = 2_000;

/**
 * Ends a connection after `text`. What the client still sends is read and dropped for 2 s: if the connection closed
 * earlier, the client could lose the response (RFC 9112 §9.6).
 */
export function endGently(socket: Duplex, text = ''): void {
  if (socket.writable) socket.end(text);
  const late = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(late));
}

/** Ends a connection after a response that is still to come, which says so if it has not begun. */
export function endAfter(response: ServerResponse, socket: Duplex, text = ''): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
  // Node calls this after a response with `Connection: close`, and drops what arrives
  (socket as Socket).destroySoon = () => undefined;
  response.once('finish', () => endGently(socket, text));
}
