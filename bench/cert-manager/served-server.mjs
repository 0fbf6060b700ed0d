// A TLS server at every address of loopback, in a process of its own. It serves the certificate that is sent to it.
import { createServer } from 'node:tls';

const server = createServer({ ca: [] }, (socket) => socket.on('error', () => undefined).resume());
server.on('tlsClientError', () => undefined);
server.listen(0, '0.0.0.0', () => process.send({ port: server.address().port }));
process.on('message', ({ cert, key }) => {
  server.setSecureContext({ ca: [], cert, key });
  process.send('ready');
});
process.on('disconnect', () => process.exit(0));
