import { randomInt } from 'node:crypto';
import { connect } from 'node:net';
import { UpstreamFailed } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import { encodeUpdate, signMessage, type TsigKey, type TxtUpdate, updateFault } from './dns-message.js';
import type { DnsProof } from './dns-proof.js';
import { isInZone } from './name-server.js';

export interface DnsUpdateSettings {
  /** IP address of the name server; whether it may be called has been judged. */
  readonly resolveServer: () => Promise<string>;
  readonly port: number;
  /** Absolute, in lower case, without the final dot; looked for when absent. */
  readonly zone?: string | undefined;
  /** The zone that a name lies in. */
  readonly findZone: (name: string) => Promise<string | undefined>;
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
  const zone = settings.zone ?? (await settings.findZone(name));
  if (zone === undefined) {
    throw new UpstreamFailed(`the zone of ${name} cannot be found; challenge.dns.zone can name it`);
  }
  if (!isInZone(name, zone)) {
    throw new UpstreamFailed(`${name} is not in the zone ${zone}`, { code: 'outside_zone' });
  }
  await exchangeUpdate(settings, { zone, act, name, value });
}

/** Tries key and zone by an update of nothing, and says so in a sentence. Throws UpstreamFailed. */
export async function tryDnsUpdate(settings: DnsUpdateSettings): Promise<string> {
  const { zone } = settings;
  if (zone === undefined) {
    await settings.resolveServer();
    return 'the name server has an address; its key is tried by the first order, as no zone is named';
  }
  await exchangeUpdate(settings, { zone, act: 'none', name: zone, value: '' });
  return `the name server takes updates of ${zone}`;
}

async function exchangeUpdate(settings: DnsUpdateSettings, update: Omit<TxtUpdate, 'id'>): Promise<void> {
  const id = randomInt(65_536);
  const message = encodeUpdate({ id, ...update });
  const signed = signMessage(message, settings.key, settings.clock.now());
  const host = await settings.resolveServer();
  const answer = await exchange({ host, port: settings.port }, signed, settings.requestMs);
  const fault = updateFault(answer, id);
  if (fault !== undefined)
    throw new UpstreamFailed(`the name server refused the update of ${update.name}: ${fault}`);
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
