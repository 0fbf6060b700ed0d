import { connect, type Socket } from 'node:net';

/** Answer to a call by JSON-RPC 2.0. */
export interface RpcAnswer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RpcCall {
  readonly id: string;
  readonly method: string;
  readonly params: object;
}

export interface SocketOptions {
  /** Path of a UNIX socket, or `host:port`. */
  readonly address: string;
  readonly timeoutMs: number;
  /** Breaks the call off. */
  readonly stop: AbortSignal;
}

/** The socket did not answer in time. */
export class SocketTimeout extends Error {}

/** Answer to the call, one JSON document a line. Rejects when the socket cannot be reached or answers too late. */
export function callBySocket(options: SocketOptions, call: RpcCall): Promise<RpcAnswer> {
  return new Promise((resolve, reject) => {
    const socket = open(options.address);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      options.stop.removeEventListener('abort', breakOff);
      socket.destroy();
      settle();
    };
    const fail = (message: string, Fault: typeof SocketTimeout | typeof Error = Error) =>
      finish(() => reject(new Fault(message)));
    const timer = setTimeout(() => fail('signal-cli does not answer', SocketTimeout), options.timeoutMs);
    const breakOff = () => fail('the service is stopping');
    options.stop.addEventListener('abort', breakOff);
    socket.on('error', () => fail('signal-cli cannot be reached'));
    socket.on('close', () => fail('signal-cli ended the connection'));
    readLines(socket, (line) => {
      const answer = parseAnswer(line);
      if (answer?.id === call.id) finish(() => resolve(answer));
    });
    socket.write(`${JSON.stringify({ jsonrpc: '2.0', ...call })}\n`);
  });
}

function open(address: string): Socket {
  const [, host = '', port] = /^(.+):([0-9]+)$/.exec(address) ?? [];
  return port === undefined ? connect(address) : connect(Number(port), host);
}

function readLines(socket: Socket, take: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(take);
  });
}

/** Undefined for a line that is not an answer: signal-cli reports incoming messages on the same socket. */
function parseAnswer(line: string): RpcAnswer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as RpcAnswer) : undefined;
  } catch {
    return undefined;
  }
}
