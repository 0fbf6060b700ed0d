import type { Protocol } from './protocols.js';

/** Next step of a preamble after what the server has sent so far. */
export type PreambleStep =
  | { readonly kind: 'wait' }
  /** `used` octets are done with; `send` is the next request. */
  | { readonly kind: 'send'; readonly used: number; readonly send: Buffer }
  | { readonly kind: 'tls'; readonly used: number }
  | { readonly kind: 'failed'; readonly code: PreambleFault };

/** Why a server did not come to TLS. */
export type PreambleFault = 'wrong_protocol' | 'starttls_not_offered' | 'starttls_refused';

/** The talk before TLS: what the client says first, then one reader after the other. */
export interface Preamble {
  readonly first?: Buffer;
  readonly readers: readonly ((received: Buffer) => PreambleStep)[];
}

const wait = { kind: 'wait' } as const;
const fail = (code: PreambleFault) => ({ kind: 'failed', code }) as const;

/** Talk of the protocol that ends in STARTTLS; undefined for TLS at once. `host` is the name that the server goes by. */
export function preambleOf(protocol: Protocol, host: string): Preamble | undefined {
  return protocol === 'tls' ? undefined : preambles[protocol](host);
}

const preambles: Readonly<Record<Exclude<Protocol, 'tls'>, (host: string) => Preamble>> = {
  // RFC 3207
  smtp: () => ({
    readers: [
      replyReader(/^220/, 'wrong_protocol', 'EHLO probe.invalid\r\n'),
      (received) => {
        const reply = readReply(received);
        if (reply === undefined) return wait;
        if (!/^250/.test(reply.text)) return fail('wrong_protocol');
        if (!/^250[ -]STARTTLS\s*$/im.test(reply.text)) return fail('starttls_not_offered');
        return { kind: 'send', used: reply.used, send: Buffer.from('STARTTLS\r\n') };
      },
      replyReader(/^220/, 'starttls_refused'),
    ],
  }),
  // RFC 4217
  ftp: () => ({
    readers: [replyReader(/^220/, 'wrong_protocol', 'AUTH TLS\r\n'), replyReader(/^234/, 'starttls_refused')],
  }),
  // RFC 9051 §6.2.1
  imap: () => ({
    readers: [
      lineReader(/^\* (?:OK|PREAUTH)\b/i, 'wrong_protocol', 'a1 STARTTLS\r\n'),
      lineReader(/^a1 OK\b/i, 'starttls_refused', undefined, /^\*/),
    ],
  }),
  // RFC 2595 §4
  pop3: () => ({
    readers: [lineReader(/^\+OK\b/, 'wrong_protocol', 'STLS\r\n'), lineReader(/^\+OK\b/, 'starttls_refused')],
  }),
  // RFC 4511 §4.14: an ExtendedRequest with the identifier of StartTLS
  ldap: () => ({ first: ldapStartTls, readers: [readLdap] }),
  postgres: () => ({ first: Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]), readers: [readPostgres] }),
  mysql: () => ({ readers: [readMysql] }),
  xmpp: (host) => ({
    first: Buffer.from(
      `<?xml version='1.0'?><stream:stream to='${host}' xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>`,
    ),
    readers: [readXmppFeatures, readXmppProceed],
  }),
};

/** Reader of one reply of SMTP or FTP (RFC 5321 §4.2.1: several lines, the last one with a space after the code). */
function replyReader(good: RegExp, fault: PreambleFault, next?: string) {
  return (received: Buffer): PreambleStep => {
    const reply = readReply(received);
    if (reply === undefined) return wait;
    return good.test(reply.text) ? goOn(reply.used, next) : fail(fault);
  };
}

function readReply(received: Buffer): { readonly text: string; readonly used: number } | undefined {
  const text = received.toString('latin1');
  const last = /(?<![^\n])(?!\d{3}-)[^\n]*\n/.exec(text);
  if (last === null) return undefined;
  const used = last.index + last[0].length;
  return { text: text.slice(0, used), used };
}

function lineReader(good: RegExp, fault: PreambleFault, next?: string, skipped?: RegExp) {
  return (received: Buffer): PreambleStep => {
    let used = 0;
    for (const line of received.toString('latin1').split('\n').slice(0, -1)) {
      used += line.length + 1;
      if (skipped?.test(line) === true) continue;
      return good.test(line) ? goOn(used, next) : fail(fault);
    }
    return wait;
  };
}

function goOn(used: number, next: string | undefined): PreambleStep {
  return next === undefined ? { kind: 'tls', used } : { kind: 'send', used, send: Buffer.from(next) };
}

const startTlsOid = '1.3.6.1.4.1.1466.20037';
const ldapStartTls = Buffer.concat([
  // SEQUENCE { INTEGER 1, [APPLICATION 23] { [0] identifier } }
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from(startTlsOid),
]);

/** LDAPMessage { messageID 1, ExtendedResponse { resultCode, … } }; servers send short and long forms of lengths. */
function readLdap(received: Buffer): PreambleStep {
  const message = readLength(received, 0x30, 0);
  if (message === 'short') return wait;
  if (message === undefined) return fail('wrong_protocol');
  if (received.length < message.end) return wait;
  const id = readLength(received, 0x02, message.start);
  if (id === undefined || id === 'short') return fail('wrong_protocol');
  const response = readLength(received, 0x78, id.end);
  if (response === undefined || response === 'short') return fail('wrong_protocol');
  const result = readLength(received, 0x0a, response.start);
  if (result === undefined || result === 'short') return fail('wrong_protocol');
  return received[result.start] === 0 ? { kind: 'tls', used: message.end } : fail('starttls_refused');
}

function readLength(octets: Buffer, tag: number, at: number) {
  const [found, length] = [octets[at], octets[at + 1]];
  if (found !== undefined && found !== tag) return undefined;
  if (found === undefined || length === undefined) return 'short';
  if (length < 0x80) return { start: at + 2, end: at + 2 + length };
  const count = length & 0x7f;
  if (count === 0 || count > 4) return undefined;
  if (octets.length < at + 2 + count) return 'short';
  const start = at + 2 + count;
  return { start, end: start + octets.readUIntBE(at + 2, count) };
}

/** One octet, `S` or `N`; an error message begins with `E`. */
function readPostgres(received: Buffer): PreambleStep {
  const [answer] = received;
  if (answer === undefined) return wait;
  if (answer === 0x53) return { kind: 'tls', used: 1 };
  return fail(answer === 0x4e ? 'starttls_not_offered' : 'wrong_protocol');
}

const mysqlSslCapability = 0x0800;

/** The server's handshake of protocol version 10; the answer to it asks for TLS. */
function readMysql(received: Buffer): PreambleStep {
  if (received.length < 5) return wait;
  if (received[4] !== 10) return fail('wrong_protocol');
  const used = 4 + received.readUIntLE(0, 3);
  if (received.length < used) return wait;
  const packet = received.subarray(5, used);
  // version text, thread (4), salt (8), filler (1), lower half of the capabilities (2)
  const capabilities = packet.indexOf(0) + 14;
  if (capabilities < 14 || packet.length < capabilities + 2) return fail('wrong_protocol');
  if ((packet.readUInt16LE(capabilities) & mysqlSslCapability) === 0) return fail('starttls_not_offered');
  return { kind: 'send', used, send: mysqlSslRequest };
}

// capabilities: long password, protocol 4.1, TLS, secure connection; packets of 16 MiB; utf8mb4
const mysqlSslRequest = Buffer.concat([
  Buffer.from([32, 0, 0, 1, 0x01, 0x8a, 0, 0, 0, 0, 0, 1, 45]),
  Buffer.alloc(23),
]);

function readXmppFeatures(received: Buffer): PreambleStep {
  const text = received.toString('latin1');
  const end = /<\/stream:features>|<stream:features\s*\/>/.exec(text);
  if (end === null) return /^\s*(?:<|$)/.test(text) ? wait : fail('wrong_protocol');
  if (!/<starttls\b/.test(text)) return fail('starttls_not_offered');
  const send = Buffer.from("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>");
  return { kind: 'send', used: end.index + end[0].length, send };
}

function readXmppProceed(received: Buffer): PreambleStep {
  const text = received.toString('latin1');
  const end = /<(proceed|failure)\b[^>]*>/.exec(text);
  if (end === null) return wait;
  if (end[1] === 'failure') return fail('starttls_refused');
  const closing = text.slice(end.index + end[0].length).startsWith('</proceed>') ? '</proceed>'.length : 0;
  return { kind: 'tls', used: end.index + end[0].length + closing };
}
