import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { fingerprint } from '@certloop/crypto';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGuard } from '../src/guard.js';
import type { Observation } from '../src/observation.js';
import { type ProbeTarget, probe } from '../src/probe.client.js';
import type { Protocol } from '../src/protocols.js';
import { type Authority, createAuthority, type Leaf, pemOf } from './authority.js';
import { type Speaker, startPlain, startStartTls, startTls, type Turn } from './speaker.js';

const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] });
const limits = { lookUpMs: 300, connectMs: 5000, preambleMs: 5000, handshakeMs: 5000 };
const short = { ...limits, preambleMs: 300, handshakeMs: 300 };
const open: Speaker[] = [];
let authority: Authority;
let leaf: Leaf;
let full: { readonly cert: string; readonly key: string };

beforeAll(async () => {
  authority = await createAuthority('Probe');
  leaf = await authority.issue();
  full = { cert: pemOf(leaf.certificate, authority.intermediate), key: leaf.keyPem };
});
afterEach(async () => {
  for (const speaker of open.splice(0)) await speaker.close();
});

async function started(speaker: Promise<Speaker>): Promise<number> {
  const ready = await speaker;
  open.push(ready);
  return ready.port;
}

async function look(port: number, target: Partial<ProbeTarget> = {}, using = limits): Promise<Observation> {
  const found = await probe(
    { host: '127.0.0.1', port, protocol: 'tls', sni: 'www.example.test', ...target },
    { guard, limits: using },
  );
  expect(found.map(({ address }) => address)).toEqual(['127.0.0.1']);
  return found[0]?.observation as Observation;
}

/** Fingerprints of each chain as it was read. */
function sent(observation: Observation) {
  if (!('served' in observation)) return observation;
  return observation.served.map(({ leaf: first, others }) =>
    [first, ...others].map(({ der }) => fingerprint(der)),
  );
}

const ids = (...certificates: { readonly der: Buffer }[]) => certificates.map(({ der }) => fingerprint(der));

describe('a TLS server', () => {
  test.each(['leaf alone', 'leaf and intermediate', 'the whole chain with its root'])(
    'is read as it sends: %s',
    async (kind) => {
      const chain = [leaf.certificate, authority.intermediate, authority.root].slice(
        0,
        ['leaf alone', 'leaf and intermediate'].indexOf(kind) + 1 || 3,
      );
      const port = await started(startTls({ cert: pemOf(...chain), key: leaf.keyPem }));
      expect(sent(await look(port))).toEqual([ids(...chain)]);
    },
  );

  test('is asked by SNI, and without one where the name is an address', async () => {
    const other = await authority.issue({ dnsNames: ['other.example.test'] });
    const asked: string[] = [];
    const port = await started(
      startTls({
        ...full,
        SNICallback: (name, done) => {
          asked.push(name);
          const { keyPem: key, certificate } = other;
          done(
            null,
            name.startsWith('other')
              ? createSecureContext({ ca: [], cert: pemOf(certificate, authority.intermediate), key })
              : undefined,
          );
        },
      }),
    );
    expect(sent(await look(port, { sni: 'other.example.test' }))).toEqual([
      ids(other.certificate, authority.intermediate),
    ]);
    expect(sent(await look(port))).toEqual([ids(leaf.certificate, authority.intermediate)]);
    expect(sent(await look(port, { sni: '127.0.0.1' }))).toEqual([
      ids(leaf.certificate, authority.intermediate),
    ]);
    expect(asked).toEqual(['other.example.test', 'www.example.test']);
  });

  test('with two certificates shows that of the expected kind of key too', async () => {
    const rsa = await authority.issue({ kind: 'RSA-2048' });
    const port = await started(
      startTls({ cert: [pemOf(leaf.certificate), pemOf(rsa.certificate)], key: [leaf.keyPem, rsa.keyPem] }),
    );
    const [first] = ids(leaf.certificate);
    const [second] = ids(rsa.certificate);
    const kinds = ['ECDSA', 'RSA'];
    for (const keyAlgorithm of kinds) {
      const found = sent(await look(port, { keyAlgorithm })) as string[][];
      expect(found.flat().at(-1)).toBe(keyAlgorithm === 'RSA' ? second : first);
    }
    const ecOnly = await started(startTls(full));
    expect(sent(await look(ecOnly, { keyAlgorithm: 'RSA' }))).toHaveLength(1);
  });

  test('that answers differently by address is shown by address, a closed one as refused', async () => {
    const other = await authority.issue();
    const port = await started(startTls(full));
    open.push(await startTls({ cert: pemOf(other.certificate), key: other.keyPem }, '127.0.0.2', port));
    const found = await probe(
      { host: 'www.example.test', port, protocol: 'tls' },
      { guard, limits, resolve: async () => ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.1'] },
    );
    expect(found.map(({ address, observation }) => [address, sent(observation)])).toEqual([
      ['127.0.0.1', [ids(leaf.certificate, authority.intermediate)]],
      ['127.0.0.2', [ids(other.certificate)]],
      ['127.0.0.3', { stage: 'refused', fault: 'connection_refused' }],
    ]);
  });

  test('that rejects the name, has no common version, or speaks HTTP has a TLS fault', async () => {
    const refusing = await started(
      startTls({ ...full, SNICallback: (_name, done) => done(new Error('no such name')) }),
    );
    expect(await look(refusing)).toMatchObject({ stage: 'tls' });
    const old = await started(startTls({ ...full, maxVersion: 'TLSv1.1', minVersion: 'TLSv1' }));
    expect(await look(old)).toMatchObject({ stage: 'tls' });
    const http = await started(startPlain((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    expect(await look(http)).toEqual({ stage: 'tls', fault: 'no_tls' });
  });

  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  if (!hasOpenssl) process.stderr.write('SKIPPED: openssl is not there, so its s_server is not probed\n');
  (hasOpenssl ? test : test.skip)('is read from OpenSSL s_server with TLS 1.2 alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certloop-probe-'));
    writeFileSync(join(folder, 'cert.pem'), pemOf(leaf.certificate));
    writeFileSync(join(folder, 'chain.pem'), pemOf(authority.intermediate));
    writeFileSync(join(folder, 'key.pem'), leaf.keyPem);
    const args = '-accept 127.0.0.1:0 -tls1_2 -cert cert.pem -cert_chain chain.pem -key key.pem'.split(' ');
    const server = spawn('openssl', ['s_server', ...args], { cwd: folder });
    try {
      let said = '';
      while (!/ACCEPT [^\n]*:(\d+)\n/.test(said)) said += String((await once(server.stdout, 'data'))[0]);
      const port = Number(/ACCEPT [^\n]*:(\d+)\n/.exec(said)?.[1]);
      expect(sent(await look(port))).toEqual([ids(leaf.certificate, authority.intermediate)]);
    } finally {
      server.kill();
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a name', () => {
  test('is looked up once, and each address is judged at each probe', async () => {
    let connections = 0;
    const port = await started(
      startPlain((socket) => {
        connections += 1;
        socket.end();
      }),
    );
    const answers = [['127.0.0.1'], ['10.0.0.7', '169.254.169.254', '::ffff:127.0.0.1'], ['10.0.0.7']];
    let lookUps = 0;
    const resolve = async () => answers[lookUps++] ?? [];
    const target = { host: 'rebind.example.test', port, protocol: 'tls' } as const;
    expect(await probe(target, { guard, limits, resolve })).toMatchObject([
      { address: '127.0.0.1', observation: { stage: 'tls', fault: 'connection_closed' } },
    ]);
    expect({ lookUps, connections }).toEqual({ lookUps: 1, connections: 1 });
    const refused = { stage: 'not_allowed', fault: 'address_not_allowed' };
    expect((await probe(target, { guard, limits, resolve })).slice(0, 2)).toEqual([
      { address: '10.0.0.7', observation: refused },
      { address: '169.254.169.254', observation: refused },
    ]);
    expect(await probe(target, { guard, limits, resolve })).toEqual([
      { address: '10.0.0.7', observation: refused },
    ]);
  });

  test.each([
    ['has no address', async () => [], { stage: 'dns', fault: 'name_not_found' }],
    [
      'is unknown',
      () => Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' })),
      { stage: 'dns', fault: 'name_not_found' },
    ],
    [
      'fails',
      () => Promise.reject(Object.assign(new Error(), { code: 'EAI_AGAIN' })),
      { stage: 'dns', fault: 'look_up_failed' },
    ],
    [
      'is never answered',
      () => new Promise<string[]>(() => undefined),
      { stage: 'timeout', fault: 'timed_out' },
    ],
  ])('that %s is unreachable', async (_kind, resolve, observation) => {
    const target = { host: 'gone.example.test', port: 443, protocol: 'tls' } as const;
    expect(await probe(target, { guard, limits, resolve })).toEqual([{ address: undefined, observation }]);
  });

  test('with a thousand addresses is probed at 64 of them', async () => {
    const resolve = async () => Array.from({ length: 1000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
    const target = { host: 'many.example.test', port: 443, protocol: 'tls' } as const;
    expect(await probe(target, { guard, limits, resolve })).toHaveLength(64);
  });
});

const ldapAnswer = (code: number) =>
  Buffer.from([0x30, 0x0c, 0x02, 1, 1, 0x78, 7, 0x0a, 1, code, 4, 0, 4, 0]);
const mysqlGreeting = (capabilities: number) => {
  const body = Buffer.concat([
    Buffer.from('\x0a8.4.0\0'),
    Buffer.alloc(4 + 8 + 1),
    Buffer.from([capabilities & 255, capabilities >> 8, 45, 2, 0, 0xff, 0xc1, 21]),
    Buffer.alloc(24),
  ]);
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
};
const stream = "<?xml version='1.0'?><stream:stream from='x' version='1.0'>";
const postgresRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

const talks: Record<Exclude<Protocol, 'tls'>, readonly Turn[]> = {
  smtp: [
    { says: '220-mail.test\r\n220 ready\r\n' },
    { awaits: 'EHLO probe.invalid\r\n', says: '250-mail.test\r\n250-STARTTLS\r\n250 SIZE 1\r\n' },
    { awaits: 'STARTTLS\r\n', says: '220 go\r\n' },
  ],
  imap: [{ says: '* OK ready\r\n' }, { awaits: 'a1 STARTTLS\r\n', says: '* NO hint\r\na1 OK go\r\n' }],
  pop3: [{ says: '+OK ready\r\n' }, { awaits: 'STLS\r\n', says: '+OK go\r\n' }],
  ftp: [{ says: '220 ready\r\n' }, { awaits: 'AUTH TLS\r\n', says: '234 go\r\n' }],
  ldap: [{ awaits: '1.3.6.1.4.1.1466.20037', says: ldapAnswer(0) }],
  postgres: [{ awaits: postgresRequest, says: 'S' }],
  mysql: [{ says: mysqlGreeting(0xffff) }, { awaits: Buffer.alloc(23), says: '' }],
  xmpp: [
    {
      awaits: "to='www.example.test'",
      says: `${stream}<stream:features><starttls xmlns='x'/></stream:features>`,
    },
    {
      awaits: "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
      says: "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
    },
  ],
};
const all = Object.entries(talks) as [Exclude<Protocol, 'tls'>, readonly Turn[]][];

describe('STARTTLS', () => {
  test.each(all)('of %s leads to the certificate, also octet by octet', async (protocol, turns) => {
    for (const piece of [65_536, 1]) {
      const port = await started(startStartTls(turns, full, piece));
      expect(sent(await look(port, { protocol }))).toEqual([ids(leaf.certificate, authority.intermediate)]);
    }
  });

  test('of smtp-server leads to the certificate', async () => {
    const server = new SMTPServer({ ...full, ca: [], authOptional: true, closeTimeout: 100 });
    server.on('error', () => undefined);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
    const { port } = server.server.address() as { port: number };
    try {
      const found = sent(await look(port, { protocol: 'smtp' }));
      expect(found).toMatchObject([ids(leaf.certificate, authority.intermediate)]);
    } finally {
      await new Promise<void>((done) => server.close(() => done()));
    }
  });

  test.each<[Protocol, string, string | Buffer]>([
    ['smtp', 'wrong_protocol', 'SSH-2.0-secret banner\r\n'],
    ['imap', 'wrong_protocol', '220 mail\r\n'],
    ['pop3', 'wrong_protocol', '-ERR busy\r\n'],
    ['ftp', 'wrong_protocol', '421 busy\r\n'],
    ['ldap', 'starttls_refused', ldapAnswer(2)],
    ['ldap', 'wrong_protocol', 'HTTP/1.1 400'],
    ['postgres', 'starttls_not_offered', 'N'],
    ['postgres', 'wrong_protocol', 'E'],
    ['postgres', 'bytes_before_tls', 'Sinjected'],
    ['mysql', 'starttls_not_offered', mysqlGreeting(0xf7ff)],
    ['mysql', 'wrong_protocol', Buffer.from([5, 0, 0, 0, 0xff, 1, 2, 3, 4])],
    ['xmpp', 'starttls_not_offered', `${stream}<stream:features/>`],
    ['xmpp', 'wrong_protocol', '220 hello'],
  ])('of %s ends with %s, and nothing of what was said is answered', async (protocol, fault, says) => {
    const port = await started(startPlain((socket) => void socket.write(says)));
    expect(await look(port, { protocol })).toEqual({ stage: 'preamble', fault });
  });

  test('that smtp does not offer, or refuses, is named', async () => {
    const [greeting] = talks.smtp as [Turn];
    const plain = [greeting, { awaits: 'EHLO', says: '250-mail.test\r\n250 SIZE 1\r\n' }];
    const fault = { stage: 'preamble', fault: 'starttls_not_offered' };
    expect(await look(await started(startStartTls(plain, full)), { protocol: 'smtp' })).toEqual(fault);
    const refusing = [...talks.smtp.slice(0, 2), { awaits: 'STARTTLS\r\n', says: '454 no\r\n' }];
    expect(await look(await started(startStartTls(refusing, full)), { protocol: 'smtp' })).toEqual({
      stage: 'preamble',
      fault: 'starttls_refused',
    });
  });
});

describe('a hostile server', () => {
  test.each(['tls', ...Object.keys(talks)] as Protocol[])(
    'that never answers times out in %s',
    async (protocol) => {
      const port = await started(startPlain(() => undefined));
      expect(await look(port, { protocol }, short)).toEqual({ stage: 'timeout', fault: 'timed_out' });
    },
  );

  test.each(['tls', ...Object.keys(talks)] as Protocol[])(
    'that closes midway is named in %s',
    async (protocol) => {
      const port = await started(startPlain((socket) => void socket.once('data', () => socket.end()).end()));
      expect(await look(port, { protocol })).toEqual({
        stage: protocol === 'tls' ? 'tls' : 'preamble',
        fault: 'connection_closed',
      });
    },
  );

  test.each<[Protocol, string]>([
    ['smtp', '220-x\r\n'],
    ['imap', 'xxxxxxx'],
    ['pop3', 'xxxxxxx'],
    ['xmpp', '<a></a>'],
    ['ldap', '\x30\x84\x7f\xff\xff\xff'],
  ])('that sends endless octets is cut off in %s', async (protocol, says) => {
    let written = 0;
    const port = await started(
      startPlain((socket) => {
        const pour = () => {
          while (!socket.destroyed && written < 50_000_000) {
            written += 7000;
            if (!socket.write(says.repeat(1000), 'latin1')) return void socket.once('drain', pour);
          }
        };
        pour();
      }),
    );
    expect(await look(port, { protocol })).toEqual({ stage: 'preamble', fault: 'too_many_bytes' });
    expect(written).toBeLessThan(20_000_000);
  });

  test('that sends endless octets instead of TLS is cut off', async () => {
    const port = await started(startPlain((socket) => void socket.write(Buffer.alloc(1_000_000, 0x16))));
    expect(await look(port)).toMatchObject({ stage: 'tls' });
  });

  test('that sends forty certificates is read up to the end of the chain', async () => {
    const strays = await Promise.all(Array.from({ length: 39 }, () => authority.issue()));
    const cert = pemOf(
      leaf.certificate,
      ...strays.map(({ certificate }) => certificate),
      authority.intermediate,
    );
    const port = await started(startTls({ cert, key: leaf.keyPem }));
    expect(sent(await look(port))).toEqual([ids(leaf.certificate, authority.intermediate)]);
  });
});
