import type { Socket } from 'node:net';

/** Destroys the socket with an error of `connect` if it has no connection after so many milliseconds. */
export function limitConnect(socket: Socket, ms: number | undefined): void {
  if (ms === undefined) return;
  const silence = Object.assign(new Error('the address does not respond'), { syscall: 'connect' });
  const timer = setTimeout(() => socket.destroy(silence), ms);
  const stop = () => clearTimeout(timer);
  socket.once('connect', stop).once('close', stop);
}
