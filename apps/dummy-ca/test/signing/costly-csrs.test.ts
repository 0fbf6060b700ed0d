import { randomBytes } from 'node:crypto';
import { excessMs } from '@certloop/contracts/testing';
import { createLogger } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSecondThread } from '../../src/authority/second-thread.service.js';
import { startCa } from '../support/app.js';
import {
  algorithms,
  base64,
  commonName,
  csrDer,
  dns,
  emptyName,
  extension,
  extensionRequest,
  p256,
  pemOf,
  subjectAltName,
} from '../support/csrs.js';
import { bitString, integer, nil, oid, sequence, set, tlv, utf8 } from '../support/der.js';
import { type Served, serve } from '../support/served.js';

const keys = p256();
const repeat = (count: number, part: (n: number) => Buffer) =>
  Array.from({ length: count }, (_, n) => part(n));
const rdns = (count: number) => sequence(...repeat(count, () => set(sequence(oid(commonName), utf8('x')))));

function nested(depth: number): Buffer {
  let der: Buffer = nil;
  for (let level = 0; level < depth; level += 1) der = sequence(der);
  return der;
}

/** CSR of an RSA key of so many bits, with the largest exponent that is accepted and a signature of noise. */
function hugeRsa(bits: number): Buffer {
  const modulus = Buffer.concat([Buffer.of(0xff), randomBytes(bits / 8 - 2), Buffer.of(1)]);
  const numbers = sequence(tlv(2, Buffer.of(0), modulus), tlv(2, Buffer.from('00ffffffff', 'hex')));
  const spki = sequence(sequence(oid('1.2.840.113549.1.1.1'), nil), bitString(numbers));
  const signed = sequence(integer(0), emptyName, spki, tlv(0xa0));
  return sequence(signed, algorithms.rsaSha256, bitString(randomBytes(bits / 8)));
}

const asking = (...extensions: readonly Buffer[]) =>
  csrDer({ keys, attributes: [extensionRequest(...extensions)] });

describe('requests made to be costly', () => {
  const second = createSecondThread(createLogger({ service: 'dummy-ca', level: 'silent' }));
  let served: Served;
  beforeAll(async () => {
    served = await serve((await startCa({}, { spread: second.spread })).http);
  });
  afterAll(async () => {
    await served.close();
    await second.close();
  });

  const ask = async (body: string) => {
    // the service may just close one that waits for its next request, as this process is busy for long
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const answer = await fetch(`${served.url}/csr`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };

  test.each<[string, number, () => Buffer]>([
    ['2,000 parts of a subject', 200, () => csrDer({ keys, subject: rdns(2_000) })],
    ['4,000 host names', 200, () => asking(subjectAltName(...repeat(4_000, () => dns('a.test'))))],
    ['a name of 2,000 parts among the names', 200, () => asking(subjectAltName(tlv(0xa4, rdns(2_000))))],
    ['2,000 extensions', 200, () => asking(...repeat(2_000, (n) => extension(`1.3.6.1.4.1.${n}`, nil)))],
    ['one long host name', 200, () => asking(subjectAltName(dns('a'.repeat(33_000))))],
    ['too many elements', 400, () => asking(subjectAltName(...repeat(11_000, () => dns('a'))))],
    ['a depth bomb', 400, () => csrDer({ keys, attributes: [nested(9_000)] })],
    ['RSA of 16,384 bits', 400, () => hugeRsa(16_384)],
    ['a body of 80 kB', 413, () => asking(subjectAltName(dns('a'.repeat(44_000))))],
  ])('%s: %i within 50 calibrated ms of both threads', async (_, status, make) => {
    const body = JSON.stringify({ csr: base64(pemOf(make())), action: 'sign' });
    const count = 16;
    const measure = async () => {
      const before = process.cpuUsage();
      const statuses = await Promise.all(Array.from({ length: count }, () => ask(body)));
      const { user, system } = process.cpuUsage(before);
      expect(new Set(statuses)).toEqual(new Set([status]));
      return (user + system) / 1000 / count;
    };
    expect(await excessMs(50, measure)).toBeUndefined();
  });
});
