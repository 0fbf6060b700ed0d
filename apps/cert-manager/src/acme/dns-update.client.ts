import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { UpstreamFailed } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import { encodeUpdate, signMessage, type TsigKey, updateFault } from './dns-message.js';
import type { DnsProof } from './dns-proof.js';

export interface DnsUpdateSettings {
  /** IP address of the name server; whether it may be called has been judged. */
  readonly resolveServer: () => Promise<string>;
  readonly port: number;
  readonly zone: string;
  readonly key: TsigKey;
  readonly clock: Clock;
  readonly requestMs: number;
}

/** Adds or deletes a TXT record by a signed update over TCP. Throws UpstreamFailed. */
export async function sendDnsUpdate(
  settings: DnsUpdateSettings,
  act: 'add' | 'delete',
  { name, value }: DnsProof,
): Promise<void> {
  const id = randomInt(65_536);
  const message = encodeUpdate({ id, zone: settings.zone, act, name, value });
  const signed = signMessage(message, settings.key, settings.clock.now());
  const host = await settings.resolveServer();
  const answer = await exchange({ host, port: settings.port }, signed, settings.requestMs);
  const fault = updateFault(answer, id);
  if (fault !== undefined)
    throw new UpstreamFailed(`the name server refused the update of ${name}: ${fault}`);
}

/** One message there and one back; over TCP each has its length in front (RFC 1035 §4.2.2). */
function exchange(
  target: { readonly host: string; readonly port: number },
  message: Buffer,
  timeoutMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const socket = connect(target);
    const fail = (reason: string) => {
      socket.destroy();
      reject(new UpstreamFailed(`the name server did not answer: ${reason}`));
    };
    const timer = setTimeout(() => fail('in time'), timeoutMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('end', () => fail('it closed the connection'));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const length = received.length < 2 ? undefined : received.readUInt16BE(0);
      if (length === undefined || received.length < length + 2) return;
      socket.removeAllListeners('end');
      resolve(received.subarray(2, length + 2));
      socket.end();
    });
    const prefix = Buffer.alloc(2);
    prefix.writeUInt16BE(message.length);
    socket.write(Buffer.concat([prefix, message]));
  });
}
