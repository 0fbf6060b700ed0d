import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext, createServer } from 'node:tls';

/**
 * Server at the port that answers tls-alpn-01 by the files NAME.crt.pem and NAME.key.pem of the folder, as they are when
 * it is asked for the name.
 */
export async function startTlsAlpnFolder(folder: string, port: number): Promise<{ close(): Promise<void> }> {
  const contextOf = (name: string) => {
    const [cert, key] = ['crt', 'key'].map((kind) => readFileSync(join(folder, `${name}.${kind}.pem`)));
    return createSecureContext({ cert, key });
  };
  const server = createServer({
    ALPNProtocols: ['acme-tls/1'],
    SNICallback: (name, done) => {
      try {
        done(null, contextOf(name));
      } catch (error) {
        done(error as Error);
      }
    },
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {});
    socket.end();
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}
