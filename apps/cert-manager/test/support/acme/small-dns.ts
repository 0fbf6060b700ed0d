import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { encodeName, signMessage, type TsigKey } from '../../../src/acme/dns/dns-message.js';

const types = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28 } as const;
export type RecordType = keyof typeof types;

/** A change that came by an UPDATE message. */
export interface Change {
  readonly act: 'add' | 'delete';
  readonly name: string;
  readonly value: string;
}

/** A name server on a free port of 127.0.0.1, over UDP and TCP, that follows CNAMEs and takes signed updates. */
export interface SmallDns {
  readonly port: number;
  /** Replaces the records of a name and type; none removes them. */
  set(name: string, type: RecordType, ...values: string[]): void;
  valuesOf(name: string, type: RecordType): readonly string[];
  readonly changes: readonly Change[];
  /** Names that were asked for, with the type. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** What the name server stores, and what it was sent. */
interface DnsState extends Pick<SmallDns, 'set' | 'valuesOf'> {
  readonly records: Map<string, readonly string[]>;
  readonly changes: Change[];
  readonly asked: string[];
  /** The key of updates, and the zone that they may change. */
  readonly key: TsigKey | undefined;
  readonly zone: string | undefined;
}

export async function startSmallDns(key?: TsigKey, zone?: string): Promise<SmallDns> {
  const records = new Map<string, readonly string[]>();
  const state: DnsState = {
    records,
    changes: [],
    asked: [],
    key,
    zone,
    valuesOf: (name, type) => records.get(`${name.toLowerCase()} ${type}`) ?? [],
    set: (name, type, ...values) => void records.set(`${name.toLowerCase()} ${type}`, values),
  };
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const body = answer(state, chunk.subarray(2));
      socket.end(Buffer.concat([word(body.length), body]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.on('message', (message, from) => udp.send(answer(state, message), from.port, from.address));
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  let isClosed = false;
  const { set, valuesOf, changes, asked } = state;
  return {
    port,
    set,
    valuesOf,
    changes,
    asked,
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await new Promise<void>((resolve) => udp.close(resolve));
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

function answer(state: DnsState, message: Buffer): Buffer {
  const opcode = (message.readUInt16BE(2) >>> 11) & 15;
  return opcode === 5 ? update(state, message) : query(state, message);
}

function query(state: DnsState, message: Buffer): Buffer {
  const question = readName(message, 12);
  const code = message.readUInt16BE(question.end);
  const type = (Object.keys(types) as RecordType[]).find((one) => types[one] === code);
  state.asked.push(`${question.name} ${type ?? code}`);
  const found = type === undefined ? [] : answersTo(state, question.name, type);
  const isThere =
    found.length > 0 ||
    [...state.records].some(([at, { length }]) => length > 0 && at.startsWith(`${question.name} `));
  return Buffer.concat([
    reply(message, isThere ? 0 : 3, found.length),
    message.subarray(12, question.end + 4),
    ...found,
  ]);
}

/** The records of a name, those at the end of its CNAME records included. */
function answersTo(state: DnsState, name: string, type: RecordType, depth = 0): Buffer[] {
  const [target] = type === 'CNAME' ? [] : state.valuesOf(name, 'CNAME');
  if (target === undefined) return state.valuesOf(name, type).map((value) => encodeRecord(name, type, value));
  const further = depth > 20 ? [] : answersTo(state, target, type, depth + 1);
  return [encodeRecord(name, 'CNAME', target), ...further];
}

function update({ key, zone, changes, valuesOf, set }: DnsState, message: Buffer): Buffer {
  const named = readName(message, 12);
  const { wanted, end } = readChanges(message, named.end + 4);
  if (key === undefined || !isSigned(message, end, key)) return reply(message, 9, 0, 0);
  if (named.name !== zone) return reply(message, 9, 0, 0);
  for (const change of wanted) {
    changes.push(change);
    const others = valuesOf(change.name, 'TXT').filter((value) => value !== change.value);
    set(change.name, 'TXT', ...others, ...(change.act === 'add' ? [change.value] : []));
  }
  return reply(message, 0, 0, 0);
}

/** The changes of an UPDATE message, which begin at an offset, and where they end. */
function readChanges(message: Buffer, start: number): { readonly wanted: Change[]; readonly end: number } {
  const wanted: Change[] = [];
  let at = start;
  for (let left = message.readUInt16BE(8); left > 0; left -= 1) {
    const { name, end } = readName(message, at);
    const isAdded = message.readUInt16BE(end + 2) === 1;
    const length = message.readUInt16BE(end + 8);
    const value = message.subarray(end + 11, end + 10 + length).toString('latin1');
    wanted.push({ act: isAdded ? 'add' : 'delete', name, value });
    at = end + 10 + length;
  }
  return { wanted, end: at };
}

/** Whether the rest of the message is the TSIG record that the key makes for its time. */
function isSigned(message: Buffer, at: number, key: TsigKey): boolean {
  if (at === message.length) return false;
  const { end } = readName(message, at);
  const algorithm = readName(message, end + 10);
  const time = new Date(message.readUIntBE(algorithm.end, 6) * 1000);
  const plain = Buffer.from(message.subarray(0, at));
  plain.writeUInt16BE(0, 10);
  return signMessage(plain, key, time).equals(message);
}

function reply(message: Buffer, code: number, answers: number, questions = 1): Buffer {
  const flags = 0x8000 | (message.readUInt16BE(2) & 0x7900) | 0x0480 | code;
  const counts = [questions, answers, 0, 0].map(word);
  return Buffer.concat([message.subarray(0, 2), word(flags), ...counts]);
}

function encodeRecord(name: string, type: RecordType, value: string): Buffer {
  const data = encodeValue(type, value);
  const lifetime = Buffer.from([0, 0, 0, 1]);
  return Buffer.concat([encodeName(name), word(types[type]), word(1), lifetime, word(data.length), data]);
}

function encodeValue(type: RecordType, value: string): Buffer {
  switch (type) {
    case 'A':
      return Buffer.from(value.split('.').map(Number));
    case 'AAAA':
      // ::n is all that a test needs
      return Buffer.concat([Buffer.alloc(15), Buffer.from([Number(value.replace('::', ''))])]);
    case 'TXT':
      return Buffer.concat([Buffer.from([value.length]), Buffer.from(value, 'latin1')]);
    case 'SOA':
      return Buffer.concat([encodeName(value), encodeName(value), Buffer.alloc(20)]);
    default:
      return encodeName(value);
  }
}

function readName(message: Buffer, at: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let place = at;
  for (let length = message[place] ?? 0; length > 0; length = message[place] ?? 0) {
    labels.push(message.subarray(place + 1, place + 1 + length).toString('latin1'));
    place += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), end: place + 1 };
}

function word(value: number): Buffer {
  const octets = Buffer.alloc(2);
  octets.writeUInt16BE(value);
  return octets;
}
