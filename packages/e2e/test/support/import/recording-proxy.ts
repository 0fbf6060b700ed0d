import { type createServer, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '@certloop/server';

export interface RecordingProxy {
  readonly url: string;
  /** The bodies and headers of all requests. */
  readonly recorded: Buffer[];
  /** Is called before a request is passed on; false answers nothing. */
  before: (asked: IncomingMessage) => boolean;
  close(): Promise<void>;
}

/** A server that records each request and passes it on to the service. */
export async function startRecordingProxy(serviceUrl: string): Promise<RecordingProxy> {
  const recorded: Buffer[] = [];
  const proxy = { recorded, before: (_asked: IncomingMessage) => true as boolean };
  const handle = async (
    asked: IncomingMessage,
    answer: Parameters<Parameters<typeof createServer>[1] & object>[1],
  ) => {
    const body = await buffer(asked);
    const { method = 'GET', url = '/', headers } = asked;
    recorded.push(Buffer.from(`${method} ${url} ${JSON.stringify(headers)}\n`), body);
    if (!proxy.before(asked)) return void answer.destroy();
    const passed = request(new URL(url, serviceUrl), { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    passed.end(body);
  };
  const { url, close } = await listen((asked, answer) => void handle(asked, answer), {
    host: '127.0.0.1',
    port: 0,
  });
  return Object.assign(proxy, { url, close });
}
