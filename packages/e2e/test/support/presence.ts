import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type AwayService = 'ca' | 'monitor';

export interface Presence {
  /** Has a service refuse connections, or accept them again. */
  readonly setAway: (service: AwayService, isAway: boolean) => void;
  readonly isAway: (service: AwayService) => boolean;
  /** Serves requests until the end of the test; returns the address. */
  readonly serve: (handler: RequestListener, service?: AwayService) => Promise<string>;
}

/** Serves what handles requests, and has services refuse connections for a while. */
export function createPresence(closing: (() => Promise<unknown>)[]): Presence {
  const away = new Set<AwayService>();
  return {
    setAway: (service, isAway) => void (isAway ? away.add(service) : away.delete(service)),
    isAway: (service) => away.has(service),
    serve: async (handler, service) => {
      const { url, close } = await listening((request, response) => {
        if (service !== undefined && away.has(service)) request.socket.destroy();
        else handler(request, response);
      });
      closing.push(close);
      return url;
    },
  };
}

async function listening(handler: RequestListener) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
