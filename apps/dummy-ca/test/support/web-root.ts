import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

export interface WebRoot {
  readonly port: number;
  /** Folder that stands for `/`. */
  readonly folder: string;
  /** Folder that the answers to http-01 stand in. */
  readonly challenges: string;
  close(): Promise<void>;
}

/** A web server on a free port that serves the answers to http-01 which stand in files below the folder. */
export async function startWebRoot(folder: string): Promise<WebRoot> {
  const challenges = join(folder, '.well-known', 'acme-challenge');
  mkdirSync(challenges, { recursive: true });
  const server = createServer((request, response) => {
    try {
      response.end(readFileSync(join(challenges, basename(request.url ?? ''))));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    folder,
    challenges,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
