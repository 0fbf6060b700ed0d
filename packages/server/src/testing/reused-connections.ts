import { Agent } from 'node:http';

/** What supertest and superagent have of this. */
interface Request {
  agent(agent: Agent): unknown;
}

/**
 * The same requests, `supertest(server)` say, over connections that stay open, as those of clients do.
 * Opening one for each request costs a tenth of it. The server must not end idle ones (`keepAliveTimeout` of 0), as a
 * request that meets this end fails.
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
