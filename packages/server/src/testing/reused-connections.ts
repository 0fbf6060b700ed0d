import { Agent, createServer, type RequestListener, type Server } from 'node:http';

/** A server whose connections last as long as their clients want, and do not hold the process of a test. */
export function createTestServer(handler: RequestListener): Server {
  const server = createServer({ keepAliveTimeout: 0 }, handler);
  return server.on('connection', (socket) => socket.unref());
}

/** Part of supertest and superagent that is used here. */
interface Request {
  agent(agent: Agent): unknown;
}

/**
 * The same requests, `supertest(server)` say, over connections that stay open, as those of clients do. Opening one for
 * each request costs a tenth of it. The server is that of `createTestServer`: a request that meets the end of an idle
 * connection would fail.
 */
export function overReusedConnections<Requests extends object>(requests: Requests): Requests {
  const agent = new Agent({ keepAlive: true });
  return new Proxy(requests, {
    get(target, method) {
      const open = Reflect.get(target, method) as (...options: unknown[]) => Request;
      return (...options: unknown[]) => Reflect.apply(open, target, options).agent(agent);
    },
  });
}
