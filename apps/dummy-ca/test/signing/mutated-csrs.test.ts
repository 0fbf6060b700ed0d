import { generateKeyPairSync } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCa } from '../support/app.js';
import {
  algorithms,
  base64,
  csrDer,
  dns,
  email,
  extensionRequest,
  ip,
  p256,
  pemOf,
  rsa,
  subjectAltName,
} from '../support/csrs.js';
import { type Served, serve } from '../support/served.js';

const attributes = [
  extensionRequest(subjectAltName(dns('a.example.test'), ip(1, 2, 3, 4), email('a@example.test'))),
];
const ed25519 = generateKeyPairSync('ed25519');
const originals = [
  csrDer({ keys: p256(), attributes }),
  csrDer({ keys: rsa(1024), attributes }),
  csrDer({ keys: ed25519, signatureAlgorithm: algorithms.ed25519, attributes }),
];

// A seed makes a failure come again; the number of runs keeps each property under some seconds.
const runs = { seed: 20_261_121, numRuns: 1_500 };

describe('a hostile body never gets a 5xx', () => {
  const agent = new Agent({ keepAlive: true });
  let served: Served;
  beforeAll(async () => {
    served = await serve((await startCa()).http);
  });
  afterAll(async () => {
    agent.destroy();
    await served.close();
  });

  function statusOf(body: string | Uint8Array): Promise<number> {
    const options = { port: served.port, host: '127.0.0.1', path: '/csr', method: 'POST', agent };
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { ...options, headers: { 'content-type': 'application/json' } },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
        },
      );
      request.once('error', reject);
      request.end(body);
    });
  }
  const statusOfDer = (der: Uint8Array) =>
    statusOf(JSON.stringify({ csr: base64(pemOf(der)), action: 'sign' }));

  test('for a CSR with octets changed, and none of them is signed', async () => {
    const change = fc.record({ place: fc.nat(1_000), octet: fc.integer({ min: 1, max: 255 }) });
    const changes = fc.array(change, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...originals), changes, async (original, places) => {
        const der = Buffer.from(original);
        for (const { place, octet } of places) {
          const offset = place % der.length;
          der.writeUInt8((der[offset] ?? 0) ^ octet, offset);
        }
        fc.pre(!der.equals(original));
        expect(await statusOfDer(der)).toBe(400);
      }),
      runs,
    );
  });

  test('for a CSR with octets cut out or put in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...originals),
        fc.nat(1_000),
        fc.nat(40),
        fc.uint8Array({ maxLength: 40 }),
        async (original, place, cut, put) => {
          const offset = place % original.length;
          const der = Buffer.concat([original.subarray(0, offset), put, original.subarray(offset + cut)]);
          fc.pre(!der.equals(original));
          expect(await statusOfDer(der)).toBe(400);
        },
      ),
      runs,
    );
  });

  test('for a signed CSR of any attributes and any subject', async () => {
    const octets = fc.uint8Array({ maxLength: 60 });
    const keys = p256();
    await fc.assert(
      fc.asyncProperty(octets, octets, async (subject, attribute) => {
        const status = await statusOfDer(csrDer({ keys, subject, attributes: [attribute] }));
        expect([200, 400]).toContain(status);
      }),
      runs,
    );
  });

  test('for any octets as the body, and for any JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.json()), async (body) => {
        expect(await statusOf(body)).toBe(400);
      }),
      runs,
    );
  });
});
