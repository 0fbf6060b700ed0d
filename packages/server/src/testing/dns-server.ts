import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

export interface DnsServer {
  /** `127.0.0.1:port` */
  readonly address: string;
  /** TXT records by name; those of a name that is missing do not exist. */
  readonly texts: Map<string, readonly string[]>;
  /** IPv4 addresses by name, of one or several. */
  readonly addresses: Map<string, string | readonly string[]>;
  close(): Promise<void>;
}

const types = { a: 1, txt: 16 };

/** A resolver (RFC 1035) on a free port that answers from the given records, and the TXT records for a name. */
export async function startDnsServer(
  findTexts: (name: string) => readonly string[] = () => [],
): Promise<DnsServer> {
  const texts: DnsServer['texts'] = new Map();
  const addresses: DnsServer['addresses'] = new Map();
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    const found = texts.get(name) ?? findTexts(name);
    const records = [
      ...(type === types.txt ? found.map(txtRecord) : []),
      ...(type === types.a ? [addresses.get(name) ?? []].flat().map(addressRecord) : []),
    ];
    const isKnown = texts.has(name) || found.length > 0 || addresses.has(name);
    socket.send(replyTo(query.subarray(0, end), records, isKnown), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    texts,
    addresses,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query[place] ?? 0; length > 0; length = query[place] ?? 0) {
    labels.push(query.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(place + 1), end: place + 5 };
}

function replyTo(question: Buffer, records: readonly Buffer[], isKnown: boolean): Buffer {
  const reply = Buffer.from(question);
  // Answer, recursion available; 3 for a name that does not exist.
  reply.writeUInt16BE(0x8180 | (isKnown ? 0 : 3), 2);
  reply.writeUInt16BE(records.length, 6);
  reply.fill(0, 8, 12);
  return Buffer.concat([reply, ...records]);
}

function record(type: number, content: Buffer): Buffer {
  const header = Buffer.alloc(12);
  // A pointer to the name of the question.
  header.writeUInt16BE(0xc00c, 0);
  header.writeUInt16BE(type, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(content.length, 10);
  return Buffer.concat([header, content]);
}

const txtRecord = (text: string): Buffer =>
  record(types.txt, Buffer.concat([Buffer.of(text.length), Buffer.from(text)]));

const addressRecord = (address: string): Buffer =>
  record(types.a, Buffer.from(address.split('.').map(Number)));
