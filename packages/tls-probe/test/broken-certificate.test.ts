import { formatPem } from '@certloop/crypto';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createGuard } from '../src/guard.js';
import { probe } from '../src/probe.client.js';
import { createAuthority, type Leaf } from './authority.js';
import { type Speaker, startPlain, startTls } from './speaker.js';

const guard = createGuard({ allowCidrs: ['127.0.0.0/8'] });
let leaf: Leaf;
let speaker: Speaker | undefined;

beforeAll(async () => {
  leaf = await (await createAuthority('Broken')).issue();
});
afterEach(async () => {
  await speaker?.close();
  speaker = undefined;
});

const look = async (started: Speaker, handshakeMs = 5000) => {
  speaker = started;
  const target = { host: '127.0.0.1', port: started.port, protocol: 'tls', sni: 'www.example.test' } as const;
  return (await probe(target, { guard, limits: { handshakeMs } }))[0]?.observation;
};

/** A value behind its length in so many octets. */
const vector = (lengthOctets: number, value: Buffer) => {
  const length = Buffer.alloc(lengthOctets);
  length.writeUIntBE(value.length, 0, lengthOctets);
  return Buffer.concat([length, value]);
};
const handshake = (type: number, body: Buffer) => Buffer.concat([Buffer.from([type]), vector(3, body)]);

/** ServerHello and Certificate of TLS 1.2 (RFC 5246 §7.4) in one record. */
function firstFlight(certificate: Buffer): Buffer {
  const random = Buffer.alloc(32, 7);
  // ECDHE-ECDSA-AES128-GCM-SHA256, no compression, secure renegotiation (RFC 5746)
  const rest = Buffer.from([0, 0xc0, 0x2b, 0, 0, 5, 0xff, 1, 0, 1, 0]);
  const hello = handshake(2, Buffer.concat([Buffer.from([3, 3]), random, rest]));
  const certificates = handshake(11, vector(3, vector(3, certificate)));
  return Buffer.concat([Buffer.from([0x16, 3, 3]), vector(2, Buffer.concat([hello, certificates]))]);
}

test('a server that sends octets instead of a certificate is at fault in TLS', async () => {
  const lookAt = async (certificate: Buffer, handshakeMs?: number) => {
    const answer = firstFlight(certificate);
    const observation = await look(
      await startPlain((socket) => void socket.once('data', () => socket.write(answer))),
      handshakeMs,
    );
    await speaker?.close();
    speaker = undefined;
    return observation;
  };
  expect(await lookAt(Buffer.from('no certificate at all'))).toEqual({ stage: 'tls', fault: 'tls_failed' });
  // with a certificate the client waits for what comes next
  expect(await lookAt(leaf.certificate.der, 300)).toEqual({ stage: 'timeout', fault: 'timed_out' });
});

test('a server whose certificate only OpenSSL reads is at fault in TLS', async () => {
  // a name of which the inner SEQUENCE is a SET
  const names = Buffer.concat([Buffer.from([0x82, 16]), Buffer.from('www.example.test')]);
  const at = leaf.certificate.der.indexOf(names) - 2;
  const der = Buffer.from(leaf.certificate.der);
  der[at] = 0x31;
  const observation = await look(await startTls({ cert: formatPem('CERTIFICATE', der), key: leaf.keyPem }));
  expect(observation).toEqual({ stage: 'tls', fault: 'certificate_unreadable' });
});
