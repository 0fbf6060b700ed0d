import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

export interface Speaker {
  readonly port: number;
  close(): Promise<void>;
}

/** A plain server; what it does with each connection is its own. */
export async function startPlain(
  onConnection: (socket: Socket) => void,
  host = '127.0.0.1',
): Promise<Speaker> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  return listenOn(server, host, sockets);
}

/** A TLS server with these options. It has no roots of its own, with which it would complete its chain. */
export async function startTls(options: TlsOptions, host = '127.0.0.1', port = 0): Promise<Speaker> {
  const sockets = new Set<Socket>();
  const server = createTlsServer({ ca: [], ...options });
  server.on('tlsClientError', () => undefined);
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('secureConnection', (socket) => socket.on('error', () => undefined));
  return listenOn(server, host, sockets, port);
}

async function listenOn(server: Server, host: string, sockets: Set<Socket>, port = 0): Promise<Speaker> {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Octets that a server says, and what it awaits of its client before the next ones. */
export interface Turn {
  readonly awaits?: string | Buffer;
  readonly says: string | Buffer;
}

/** A server that speaks the turns, in pieces of `piece` octets, and then TLS. */
export async function startStartTls(
  turns: readonly Turn[],
  options: TlsOptions,
  piece = 65_536,
): Promise<Speaker> {
  const inner = await startTls(options);
  const outer = await startPlain((socket) => {
    const left = [...turns];
    let heard = Buffer.alloc(0);
    const go = () => {
      for (let turn = left[0]; turn !== undefined; turn = left[0]) {
        const { awaits } = turn;
        const place = awaits === undefined ? 0 : heard.indexOf(awaits);
        if (place < 0) return;
        if (awaits !== undefined) heard = heard.subarray(place + awaits.length);
        left.shift();
        const said = Buffer.from(turn.says);
        for (let at = 0; at < said.length; at += piece) socket.write(said.subarray(at, at + piece));
      }
      socket.off('data', hear);
      const secured = connect(inner.port, '127.0.0.1').on('error', () => socket.destroy());
      secured.write(heard);
      socket.pipe(secured).pipe(socket);
    };
    const hear = (chunk: Buffer) => {
      heard = Buffer.concat([heard, chunk]);
      go();
    };
    socket.setNoDelay(true);
    socket.on('data', hear);
    go();
  });
  return { port: outer.port, close: () => Promise.all([outer.close(), inner.close()]).then(() => undefined) };
}
