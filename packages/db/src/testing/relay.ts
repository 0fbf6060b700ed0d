import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be blocked, as a network does it. */
export interface Relay {
  /** The URL of the server by way of the relay. */
  readonly url: string;
  /** Connections that are open carry nothing more, in silence; new ones work. */
  freeze(): void;
  /** Nothing is carried until `goOn`, by new connections neither, as with a server that is too busy to answer. */
  stall(): void;
  /** Carries what came in meanwhile. */
  goOn(): void;
  /** New connections lead to the server of this URL. */
  leadTo(url: string): void;
  /** Breaks the connections that are open, and each new one. */
  goAway(): void;
  /** New connections work again. */
  comeBack(): void;
  close(): Promise<void>;
}

/** Opens a relay to the server of a URL. */
export async function openRelay(url: string): Promise<Relay> {
  const carriers = new Map<Socket, () => void>();
  let target = new URL(url);
  let isAway = false;
  let isStalled = false;
  const server = createServer((near) => {
    if (isAway) {
      near.destroy();
      return;
    }
    const far = connect(Number(target.port), target.hostname);
    for (const carry of [link(near, far, carriers), link(far, near, carriers)]) {
      if (!isStalled) carry();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href,
    freeze: () => {
      for (const socket of carriers.keys()) {
        hold(socket);
        carriers.set(socket, () => undefined);
      }
    },
    stall: () => {
      isStalled = true;
      for (const socket of carriers.keys()) hold(socket);
    },
    goOn: () => {
      isStalled = false;
      for (const carry of carriers.values()) carry();
    },
    leadTo: (other) => {
      target = new URL(other);
    },
    goAway: () => {
      isAway = true;
      for (const socket of carriers.keys()) socket.destroy();
    },
    comeBack: () => {
      isAway = false;
    },
    close: async () => {
      for (const socket of carriers.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Ends one socket with the other. Returns what carries to the other; `carriers` has it until the socket ends. */
function link(from: Socket, to: Socket, carriers: Map<Socket, () => void>): () => void {
  from.setNoDelay(true);
  from.on('error', () => to.destroy());
  const carry = () => from.pipe(to);
  from.on('close', () => {
    carriers.delete(from);
    to.destroy();
  });
  carriers.set(from, carry);
  return carry;
}

function hold(socket: Socket): void {
  socket.unpipe();
  socket.pause();
}
