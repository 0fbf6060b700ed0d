import { createHmac } from 'node:crypto';

/** Key that signs messages to a name server (RFC 8945), by HMAC-SHA-256. */
export interface TsigKey {
  readonly name: string;
  readonly secret: Uint8Array;
}

/** A change of one TXT record (RFC 2136 §2.5); `none` changes nothing, and so only tries key and zone. */
export interface TxtUpdate {
  readonly id: number;
  readonly zone: string;
  readonly act: 'add' | 'delete' | 'none';
  readonly name: string;
  readonly value: string;
}

const type = { SOA: 6, TXT: 16, TSIG: 250 } as const;
const dnsClass = { IN: 1, NONE: 254, ANY: 255 } as const;
const updateOpcode = 5;
// The CA queries the record soon after its publication.
const ttlSeconds = 60;
const fudgeSeconds = 300;
const algorithm = 'hmac-sha256';

/** Octets of an UPDATE message without a signature (RFC 2136 §2). */
export function encodeUpdate({ id, zone, act, name, value }: TxtUpdate): Buffer {
  const rdata = characterString(value);
  // RFC 2136 §2.5.4: class NONE and no lifetime delete the one record whose content is given
  const record =
    act === 'add'
      ? [encodeName(name), words(type.TXT, dnsClass.IN), seconds(ttlSeconds), words(rdata.length), rdata]
      : [encodeName(name), words(type.TXT, dnsClass.NONE), seconds(0), words(rdata.length), rdata];
  const updates = act === 'none' ? [] : record;
  const header = words(id, updateOpcode << 11, 1, 0, updates.length > 0 ? 1 : 0, 0);
  return Buffer.concat([header, encodeName(zone), words(type.SOA, dnsClass.IN), ...updates]);
}

/** The message with a TSIG record at its end (RFC 8945 §4.2). */
export function signMessage(message: Buffer, key: TsigKey, now: Date): Buffer {
  const variables = tsigVariables(key, now);
  const mac = createHmac('sha256', key.secret).update(message).update(variables).digest();
  const id = message.subarray(0, 2);
  const rdata = Buffer.concat([
    encodeName(algorithm),
    time48(now),
    words(fudgeSeconds, mac.length),
    mac,
    id,
    words(0, 0),
  ]);
  const record = [
    encodeName(key.name),
    words(type.TSIG, dnsClass.ANY),
    seconds(0),
    words(rdata.length),
    rdata,
  ];
  const signed = Buffer.concat([message, ...record]);
  signed.writeUInt16BE(signed.readUInt16BE(additionalCount) + 1, additionalCount);
  return signed;
}

// RFC 1035 §4.1.1: where the header counts the additional records
const additionalCount = 10;

/** RFC 8945 §4.3.3: name and class of the record, its lifetime, algorithm, time, fudge, error, no other data. */
function tsigVariables(key: TsigKey, now: Date): Buffer {
  return Buffer.concat([
    encodeName(key.name),
    words(dnsClass.ANY),
    seconds(0),
    encodeName(algorithm),
    time48(now),
    words(fudgeSeconds, 0, 0),
  ]);
}

/**
 * Returns the response code of a name server to an update, by its name, or undefined if the update succeeded (RFC 2136
 * §2.2). The answer's own signature is not looked at: a forged one could do no more than let the CA look too early.
 */
export function updateFault(answer: Buffer, id: number): string | undefined {
  if (answer.length < 12 || answer.readUInt16BE(0) !== id) return 'the answer is to another message';
  const flags = answer.readUInt16BE(2);
  const isUpdateAnswer = flags >>> 15 === 1 && ((flags >>> 11) & 15) === updateOpcode;
  if (!isUpdateAnswer) return 'the answer is not a response to an update';
  const code = flags & 15;
  return code === 0 ? undefined : (responseCodes[code] ?? `response code ${code}`);
}

const responseCodes: Readonly<Record<number, string>> = {
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  9: 'NOTAUTH',
  10: 'NOTZONE',
};

/** Labels with their lengths in front (RFC 1035 §3.1), in lower case (RFC 8945 §4.3.3). */
export function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.').filter(Boolean);
  const parts = labels.map((label) => {
    const octets = Buffer.from(label, 'latin1');
    if (octets.length > 63) throw new RangeError('a label has at most 63 octets');
    return Buffer.concat([Buffer.of(octets.length), octets]);
  });
  return Buffer.concat([...parts, Buffer.of(0)]);
}

/** RFC 1035 §3.3: at most 255 octets with their length in front. */
function characterString(text: string): Buffer {
  const octets = Buffer.from(text, 'latin1');
  if (octets.length > 255) throw new RangeError('a character string has at most 255 octets');
  return Buffer.concat([Buffer.of(octets.length), octets]);
}

function words(...values: number[]): Buffer {
  const octets = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) octets.writeUInt16BE(value, index * 2);
  return octets;
}

function seconds(value: number): Buffer {
  const octets = Buffer.alloc(4);
  octets.writeUInt32BE(value);
  return octets;
}

function time48(now: Date): Buffer {
  const octets = Buffer.alloc(6);
  octets.writeUIntBE(Math.floor(now.getTime() / 1000), 0, 6);
  return octets;
}
