// A load balancer of HTTP in this process, by the rules of docker/balancer.conf: a new connection for each request, the
// replicas in turn, and two tries.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Methods whose requests go to no second replica once they were sent to one. */
const unrepeated = new Set(['POST', 'LOCK', 'PATCH']);
const maxTries = 2;

/** Header of the response to a request that was under way when its replica was killed on purpose. */
export const cutHeader = 'x-cut-by-kill';

/** Starts a balancer; `replicas` is the list that it reads at each request: `{ host, port, isKilled }`. */
export async function openBalancer(port, replicas) {
  let turn = 0;
  const chosen = () => {
    turn += 1;
    const count = Math.min(maxTries, replicas.length);
    return Array.from({ length: count }, (_, n) => replicas[(turn + n) % replicas.length]);
  };
  const server = createServer({ keepAliveTimeout: 75_000 }, (incoming, outgoing) => {
    void buffer(incoming).then(
      async (body) => respond(outgoing, await forward(incoming, body, chosen())),
      () => outgoing.destroy(),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The response of the first replica that gives one. */
async function forward({ method, url, headers }, body, replicas) {
  const failures = [];
  for (const replica of replicas) {
    const { answer, wasSent, error } = await ask(replica, { method, path: url, headers }, body);
    if (answer !== undefined) return answer;
    failures.push(error);
    if (wasSent && unrepeated.has(method)) return badGateway(failures, replica.isKilled);
  }
  return badGateway(failures, false);
}

function badGateway(failures, isCut) {
  const detail = failures.map(({ message }) => message).join('; ');
  const body = Buffer.from(JSON.stringify({ detail: `the balancer got no response: ${detail}` }));
  return { status: 502, headers: isCut ? [cutHeader, '1'] : [], body };
}

/** Sends a request on a connection of its own, and reads the whole response. */
function ask({ host, port }, options, body) {
  return new Promise((resolve) => {
    let wasSent = false;
    const headers = { ...options.headers, connection: 'close' };
    const passed = request({ host, port, ...options, headers, agent: false }, (response) => {
      buffer(response).then(
        (whole) =>
          resolve({ answer: { status: response.statusCode, headers: response.rawHeaders, body: whole } }),
        (error) => resolve({ wasSent, error }),
      );
    });
    passed.on('socket', (socket) =>
      socket.once('connect', () => {
        wasSent = true;
      }),
    );
    passed.on('error', (error) => resolve({ wasSent, error }));
    passed.end(body);
  });
}

/** Headers that are true for one connection only (RFC 9110 §7.6.1), and those that Node sets for the whole body. */
const ofOneConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length']);

function respond(outgoing, { status, headers, body }) {
  const passedOn = headers.filter(
    (_, index) => !ofOneConnection.has(headers[index - (index % 2)].toLowerCase()),
  );
  outgoing.writeHead(status, [...passedOn, 'content-length', String(body.length)]);
  outgoing.end(body);
}
