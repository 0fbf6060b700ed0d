import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where a service listens on 127.0.0.1. */
export interface Listener {
  readonly port: number;
  readonly isTls: boolean;
}

/**
 * Step of a client on a connection, one after another: sends bytes, waits for the first bytes of the service, sends its
 * end, or resets the connection.
 */
export type Step = string | 'await' | 'end' | 'reset';

/** Opens a connection; no certificate is checked. */
async function openSocket({ port, isTls }: Listener): Promise<Socket> {
  const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
  const socket = isTls ? connectTls(options) : connect(options);
  await new Promise<void>((resolve, reject) => {
    socket.once(isTls ? 'secureConnect' : 'connect', resolve).once('error', reject);
  });
  return socket;
}

/** All that the service sends until it ends the connection, as Latin-1; each step follows in a turn of its own. */
export async function sendRaw(listener: Listener, steps: readonly Step[]): Promise<string> {
  const socket = await openSocket(listener);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const began = new Promise<void>(
    (resolve) => void socket.once('data', () => resolve()).once('close', resolve),
  );
  // a reset after the response is no fault of the service: the client may still have been sending
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
  });
  for (const step of steps) {
    if (step === 'await') await began;
    else if (step === 'end') socket.end();
    else if (step === 'reset') socket.destroy();
    else if (socket.writable) await new Promise((resolve) => socket.write(step, 'latin1', resolve));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

/** Statuses of the responses in a text, in their order. Bytes that belong to no response are returned as a word. */
export function statusesOf(text: string): (number | string)[] {
  const statuses: (number | string)[] = [];
  for (let rest = text; rest !== ''; ) {
    const [head, status] = /^HTTP\/1\.1 (\d{3}) [\s\S]*?\r\n\r\n/.exec(rest) ?? [];
    if (head === undefined || status === undefined) return [...statuses, `unreadable: ${rest.slice(0, 40)}`];
    const length = bodyLength(head, rest.slice(head.length), Number(status));
    if (length === undefined) return [...statuses, `incomplete ${status}`];
    if (!status.startsWith('1')) statuses.push(Number(status));
    rest = rest.slice(head.length + length);
  }
  return statuses;
}

function bodyLength(head: string, rest: string, status: number): number | undefined {
  if (status < 200 || status === 204 || status === 304) return 0;
  const [, length] = /\r\nContent-Length: (\d+)\r\n/i.exec(head) ?? [];
  if (length !== undefined) return rest.length < Number(length) ? undefined : Number(length);
  if (!/\r\nTransfer-Encoding: chunked\r\n/i.test(head)) return rest.length;
  for (let at = 0; ; ) {
    const [line, size] = /^([\da-f]+)\r\n/i.exec(rest.slice(at)) ?? [];
    if (line === undefined || size === undefined) return undefined;
    at += line.length + Number.parseInt(size, 16) + 2;
    if (Number.parseInt(size, 16) === 0) return at;
  }
}
