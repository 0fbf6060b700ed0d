import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/**
 * So many connections to a server of this process, which it has accepted: it reads what is written to all of them at
 * once in the same turn of the event loop.
 */
export async function openAccepted(server: Server, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(connect((server.address() as AddressInfo).port, '127.0.0.1'));
    await once(server, 'connection');
  }
  return sockets;
}
