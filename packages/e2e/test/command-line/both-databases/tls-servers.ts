import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import {
  createIssuer,
  createRoot,
  encodeName,
  exportPrivateKeyPem,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '@certloop/crypto';

/** What a server says before TLS, and what it awaits of its client before that. */
type Turn = readonly [awaits: string | Buffer, says: string | Buffer];

const talks = {
  tls: [],
  smtp: [
    ['', '220 mail.test ready\r\n'],
    ['EHLO', '250-mail.test\r\n250 STARTTLS\r\n'],
    ['STARTTLS\r\n', '220 go\r\n'],
  ],
  imap: [
    ['', '* OK ready\r\n'],
    ['STARTTLS\r\n', 'a1 OK go\r\n'],
  ],
  pop3: [
    ['', '+OK ready\r\n'],
    ['STLS\r\n', '+OK go\r\n'],
  ],
  // the answer to an extended request (RFC 4511, section 4.12): success
  ldap: [['1.3.6.1.4.1.1466.20037', Buffer.from([0x30, 12, 2, 1, 1, 0x78, 7, 10, 1, 0, 4, 0, 4, 0])]],
  postgres: [[Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]), 'S']],
} satisfies Readonly<Record<string, readonly Turn[]>>;

/** Protocols of the servers. */
export const speakers = Object.keys(talks) as (keyof typeof talks)[];

export interface TlsServers {
  /** Port of each protocol, at all addresses of this machine. */
  readonly ports: Readonly<Record<(typeof speakers)[number], number>>;
  /** Gives the server of a name another certificate, with an intermediate, which ends in so many days. */
  readonly certify: (name: string, days: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const day = 86_400_000;

/** Servers of six protocols, each of which presents the certificate of the name that it is asked for. */
export async function startTlsServers(): Promise<TlsServers> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const key = exportPrivateKeyPem(privateKey);
  const { issue, authorityPem } = await createAuthority(exportSpki(publicKey));
  const contexts = new Map<string, SecureContext>();
  const find = (name: string) => contexts.get(name);
  const servers = await Promise.all(speakers.map((protocol) => listen(talks[protocol], find)));
  const ports = servers.map(({ port }, index) => [speakers[index], port]);
  return {
    ports: Object.fromEntries(ports),
    certify: async (name, days) => {
      const cert = `${formatPem('CERTIFICATE', await issue(name, days))}${authorityPem}`;
      contexts.set(name, createSecureContext({ ca: [], key, cert }));
    },
    close: async () => {
      await Promise.all(servers.map(({ close }) => close()));
    },
  };
}

async function createAuthority(spkiDer: Buffer) {
  const inDays = (days: number) => new Date(Date.now() + days * day);
  const validity = { notBefore: inDays(-100), notAfter: inDays(1000) };
  const root = createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Watched CA' },
      serialNumber: 1n,
      ...validity,
    }),
  );
  let serialNumber = 2n;
  const issue = (name: string, days: number) =>
    issueCertificate(root, {
      serialNumber: serialNumber++,
      subjectDer: encodeName({}),
      spkiDer,
      subjectAltNames: { dnsNames: [name] },
      // one that ends later began later
      notBefore: inDays(days - 90),
      notAfter: inDays(days),
    });
  return { issue, authorityPem: formatPem('CERTIFICATE', root.certificate.der) };
}

async function listen(talk: readonly Turn[], find: (name: string) => SecureContext | undefined) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    converse(socket, talk, () => {
      new TLSSocket(socket, {
        isServer: true,
        SNICallback: (name, done) => {
          const context = find(name);
          if (context === undefined) done(new Error('no such name'));
          else done(null, context);
        },
      }).on('error', () => socket.destroy());
    });
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Takes its turns, and begins TLS after the last one. */
function converse(socket: Socket, talk: readonly Turn[], begin: () => void): void {
  const left = [...talk];
  let heard = Buffer.alloc(0);
  const go = () => {
    for (let turn = left[0]; turn !== undefined; turn = left[0]) {
      const [awaits, says] = turn;
      const place = heard.indexOf(awaits);
      if (awaits.length > 0 && place < 0) return;
      heard = heard.subarray(awaits.length > 0 ? place + awaits.length : 0);
      left.shift();
      socket.write(says);
    }
    socket.off('data', hear);
    begin();
  };
  const hear = (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk]);
    go();
  };
  if (talk.length > 0) socket.on('data', hear);
  go();
}
