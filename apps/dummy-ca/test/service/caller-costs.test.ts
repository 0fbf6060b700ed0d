import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acmePaths } from '@certloop/acme-server/rules';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { dummyCaAdminContract, dummyCaContract } from '@certloop/contracts';
import { hangMs } from '@certloop/contracts/testing';
import { signJws } from '@certloop/crypto';
import {
  type CostlyCall,
  callsOf,
  faultsOfCosts,
  measureCalls,
  uncalledRoutes,
  type WorstBody,
  writeCosts,
} from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openStateFile } from '../../src/authority/state.store.js';
import { startAcme, type TestAcme } from '../support/acme.js';
import {
  algorithms,
  base64,
  csrDer,
  dns,
  extensionRequest,
  ip,
  p256,
  pemOf,
  subjectAltName,
} from '../support/csrs.js';
import { bitString, nil, oid, sequence, tlv } from '../support/der.js';

// there are thousands of requests
vi.setConfig({ testTimeout: 3 * hangMs, hookTimeout: 3 * hangMs });

const csrBytes = 65_536;

const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-state-'));
// with a file, each answer waits until the state is in it
const state = openStateFile(join(folder, 'state.sqlite'));
let acme: TestAcme;
beforeAll(async () => {
  const metricsAccess = { metricsOpen: false, metricsToken: 'x'.repeat(32) };
  acme = await startAcme({ metricsAccess, state });
});
afterAll(async () => {
  await acme.close();
  state.close();
  rmSync(folder, { recursive: true });
});

async function measure(calls: readonly CostlyCall[], name: string) {
  const port = Number(new URL(acme.url).port);
  const costs = await measureCalls({ port, calls, beside: ['/health'], allowedMs: 50 });
  writeCosts(name, costs.costs);
  return faultsOfCosts(costs);
}

/** A CSR of so many names, as long as a body may be. */
function csrOf(count: number): Buffer {
  const names = Array.from({ length: count }, (_, n) => dns(`${n}.test`));
  return csrDer({ keys: p256(), attributes: [extensionRequest(subjectAltName(...names))] });
}

/** A CSR of an RSA key of so many bits, which no one has the private key of, and of many addresses. */
function csrOfLargeKey(bits: number): Buffer {
  const modulus = Buffer.concat([Buffer.of(0, 0xff), randomBytes(bits / 8 - 2), Buffer.of(1)]);
  const key = sequence(tlv(0x02, modulus), tlv(0x02, Buffer.from('00ffffffff', 'hex')));
  const spki = sequence(sequence(oid('1.2.840.113549.1.1.1'), nil), bitString(key));
  const addresses = Array.from({ length: 3_000 }, (_, n) => ip(10, n >> 12, (n >> 6) & 63, n & 63));
  const signature = Buffer.concat([Buffer.of(0), randomBytes(bits / 8 - 1)]);
  const attributes = [extensionRequest(subjectAltName(dns('a.test'), ...addresses))];
  return csrDer({ keys: p256(), spki, attributes, signatureAlgorithm: algorithms.rsaSha256, signature });
}

const costlyCsrs: readonly WorstBody[] = [
  ...[100, 1_000, 3_000].map((count) => [`a CSR of ${count} names`, csrOf(count)] as const),
  ...[4_096, 8_192, 16_384].map((bits) => [`a CSR of RSA-${bits}`, csrOfLargeKey(bits)] as const),
].map(([name, der]) => ({
  name,
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify({ csr: base64(pemOf(der)), action: 'sign' })),
}));

const jose = { 'Content-Type': 'application/jose+json' };

function acmeCalls(bodies?: (path: string) => CostlyCall['bodies']): CostlyCall[] {
  return Object.entries(acmePaths).map(([operation, pattern]) => {
    const path = `/acme${pattern.replace(/:\w+/g, 'x')}`;
    return {
      name: `ACME ${operation}`,
      method: 'POST',
      path,
      headers: jose,
      maxBytes: csrBytes,
      bodies: bodies?.(path) ?? [],
    };
  });
}

const otherCalls: readonly CostlyCall[] = [
  ['GET', '/'],
  ['GET', '/openapi.json'],
  ['GET', '/docs'],
  ['GET', '/docs/'],
  ['GET', '/docs/x/y'],
  ['GET', '/metrics'],
  ['GET', '/certificate'],
  ['POST', '/certificate'],
  ['POST', '/ocsp'],
  ['GET', `/ocsp/${'A'.repeat(8_000)}`],
  ['POST', '/nothing'],
].map(([method = '', path = '']) => ({
  name: `${method} ${path.slice(0, 20)}`,
  method,
  path,
  maxBytes: 8_192,
}));

const ofStrangers: readonly CostlyCall[] = [
  ...callsOf(dummyCaContract, '', (operation) =>
    operation === 'signCsr' ? { maxBytes: csrBytes, bodies: costlyCsrs } : { maxBytes: 8_192 },
  ),
  ...callsOf(dummyCaAdminContract, '', () => ({ maxBytes: 4_096 })),
  ...acmeCalls(),
  ...acmeCalls().map(({ name, path }) => ({ name: `${name} by GET`, method: 'GET', path, maxBytes: 0 })),
  ...otherCalls,
];

test('every path that is served is called', async () => {
  expect(await uncalledRoutes(acme.handler, ofStrangers)).toEqual([]);
});

test('those without an account hold no one up with any operation', async () => {
  expect(await measure(ofStrangers, 'dummy-ca-strangers')).toEqual([]);
});

test('a key of many bits in the place of an account holds no one up', async () => {
  const client = acme.stranger();
  const url = `${acme.url}/acme/new-account`;
  const bodies = () =>
    Promise.all(
      [2_048, 4_096, 8_192, 16_384].map(async (bits) => {
        const n = Buffer.concat([Buffer.of(0xff), randomBytes(bits / 8 - 2), Buffer.of(1)]);
        const jwk = { kty: 'RSA', n: n.toString('base64url'), e: '_____w' };
        const header = { alg: 'RS256', nonce: await client.nonce(), url, jwk };
        return joseBody({
          protected: Buffer.from(JSON.stringify(header)).toString('base64url'),
          payload: '',
          signature: randomBytes(bits / 8).toString('base64url'),
        });
      }),
    );
  const call = { name: 'ACME newAccount, large keys', method: 'POST', path: '/acme/new-account' };
  const calls = [{ ...call, headers: jose, maxBytes: 0, bodies }];
  expect(await measure(calls, 'dummy-ca-keys')).toEqual([]);
});

test('an account holds no one up with any operation', async () => {
  const client = await acme.client();
  const { body: order, headers } = await client.order(dnsIdentifiers('a.test'));
  const [challenge] = await client.challengesOf(order, 'http-01');
  const names = Array.from({ length: 10 }, (_, n) => `${n}.test`);
  const { order: issued, download } = await client.issue(dnsIdentifiers(...names));
  const [, alternate] = /<([^>]+)>;rel="alternate"/.exec(download.headers.get('link') ?? '') ?? [];
  const place = (url: string | null | undefined) => url?.replace(acme.url, '') ?? 'missing';
  const paths = [
    ...['/acme/new-order', '/acme/new-authz', '/acme/revoke-cert', '/acme/key-change'],
    ...[client.kid, `${client.kid}/orders`, ...order.authorizations, challenge?.url].map(place),
    ...[headers.get('location'), order.finalize, issued.certificate, alternate].map(place),
  ];
  const calls = paths.map((path) => ({
    name: `ACME ${path.replace(/\/[\w-]{10,}/g, '/:id')}`,
    method: 'POST',
    path,
    headers: jose,
    maxBytes: csrBytes,
    bodies: () => signedBodies(client, path),
  }));
  expect(await measure(calls, 'dummy-ca-accounts')).toEqual([]);
});

const csr = csrOf(1_500).toString('base64url');
const worstPayloads = [
  { identifiers: Array.from({ length: 1_000 }, (_, n) => ({ type: 'dns', value: `${n}.test` })) },
  { identifiers: Array.from({ length: 1_500 }, () => ({ type: 'dns', value: 1 })) },
  { contact: Array.from({ length: 1_500 }, (_, n) => `mailto:${n}@b.test`) },
  { csr },
  { certificate: csr },
  { identifier: { type: 'dns', value: 'x'.repeat(40_000) } },
].map((payload) => JSON.stringify(payload));
// the first one asks for the resource as it is
const plainPayloads = ['', '['.repeat(40_000), `{"csr":[${'1.1,'.repeat(9_000)}1]}`];

async function signedBodies(client: AcmeClient, path: string): Promise<WorstBody[]> {
  const made = [...worstPayloads, ...plainPayloads].map(async (payload) => {
    const header = { nonce: await client.nonce(), url: `${acme.url}${path}`, kid: client.kid };
    return joseBody(await signJws(client.key, header, payload));
  });
  return Promise.all(made);
}

function joseBody(jws: object): WorstBody {
  return { name: 'signed', contentType: jose['Content-Type'], bytes: Buffer.from(JSON.stringify(jws)) };
}
