import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

const backlog = 1;

// accepts nothing, since its thread is blocked as soon as it listens
const listenAndBlock = `
  const { createServer } = require('node:net');
  const { parentPort, workerData: { host, port, backlog } } = require('node:worker_threads');
  createServer().listen({ host, port, backlog }, () => {
    parentPort.postMessage('listening');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** A server whose queue of connections is full: the system drops the packets of further ones, as a firewall does. */
export async function startSilentServer(
  host: string,
  port: number,
): Promise<{ readonly close: () => Promise<void> }> {
  const worker = new Worker(listenAndBlock, { eval: true, workerData: { host, port, backlog } });
  await once(worker, 'message');
  const queued: Socket[] = [];
  // Linux queues one more than the backlog
  while (queued.length <= backlog) {
    const socket = connect({ host, port });
    await once(
      socket.on('error', () => {}),
      'connect',
    );
    queued.push(socket);
  }
  return {
    close: async () => {
      for (const socket of queued) socket.destroy();
      await worker.terminate();
    },
  };
}
