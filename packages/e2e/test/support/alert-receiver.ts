import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A program that receives alerts and notices. */
export interface AlertReceiver {
  readonly url: string;
  /** Bodies of the requests to a path. */
  bodiesOf(path: string): readonly string[];
  /** When the latest request came, by `performance.now()`. */
  latestAt(): number;
  close(): Promise<void>;
}

export async function startAlertReceiver(): Promise<AlertReceiver> {
  const requests: { readonly path: string; readonly body: string }[] = [];
  let latestAt = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      requests.push({ path: (request.url ?? '').replace(/\?.*/, ''), body });
      latestAt = performance.now();
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodiesOf: (path) => requests.filter((each) => each.path === path).map(({ body }) => body),
    latestAt: () => latestAt,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
