// Passes connections on: node relay.mjs HOST PORT TARGET… A target is host:port; they take turns. With --http, requests
// get the headers that docker/balancer.conf sets, and connections of clients stay open for as long as those of nginx.
import { createServer as createHttpServer, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [host, port, ...rest] = process.argv.slice(2);
const targets = rest.filter((word) => word !== '--http').map((word) => word.split(':'));
let turn = 0;
const next = () => targets[turn++ % targets.length];

function relay(socket) {
  const [to, toPort] = next();
  const other = connect(Number(toPort), to);
  socket.pipe(other).pipe(socket);
  // after a regular end, the pipe ends the other side once all is written
  for (const [one, two] of [
    [socket, other],
    [other, socket],
  ])
    one
      .on('error', () => two.destroy())
      .on('close', () => {
        if (!one.readableEnded) two.destroy();
      });
}

/** Headers that are true for one connection only (RFC 9110 §7.6.1). */
const ofOneConnection = new Set(['connection', 'keep-alive']);

const passedOn = (headers) =>
  headers.filter((_, index) => !ofOneConnection.has(headers[index - (index % 2)].toLowerCase()));

/** A request has a connection of its own, and one that reached no replica goes to the next one. */
function balance(incoming, outgoing, left = targets.length) {
  const [to, toPort] = next();
  const headers = {
    ...incoming.headers,
    'x-forwarded-for': incoming.socket.remoteAddress,
    'x-forwarded-proto': 'http',
  };
  const { method, url: path } = incoming;
  const passed = request({ host: to, port: toPort, method, path, headers, agent: false }, (answer) => {
    outgoing.writeHead(answer.statusCode, passedOn(answer.rawHeaders));
    // an answer that breaks off ends the connection of the client
    pipeline(answer, outgoing, () => undefined);
  });
  let isConnected = false;
  passed.on('error', () => {
    if (isConnected || left === 1) outgoing.destroy();
    else balance(incoming, outgoing, left - 1);
  });
  passed.on('socket', (socket) =>
    socket.once('connect', () => {
      isConnected = true;
      incoming.pipe(passed);
    }),
  );
}

const server = rest.includes('--http')
  ? createHttpServer({ keepAliveTimeout: 75_000 }, (incoming, outgoing) => balance(incoming, outgoing))
  : createServer(relay);
server.listen(Number(port), host);
