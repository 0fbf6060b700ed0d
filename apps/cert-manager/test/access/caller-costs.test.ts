import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contract, certManagerContract } from '@certloop/contracts';
import { calibratedMs, hangMs } from '@certloop/contracts/testing';
import { buildCsr } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import {
  type CostlyCall,
  callsOf,
  faultsOfCosts,
  measureCalls,
  uncalledRoutes,
  type WorstBody,
  writeCosts,
} from '@certloop/server/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type Operation, routeNeeds } from '../../src/access/route-needs.js';
import { type SuiteApp, startApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, unknownId } from '../support/inventory.js';

// ends a hang only: there are thousands of requests
jest.setTimeout(3 * hangMs);

const publicBytes = 16_384;

function json(name: string, body: object): WorstBody {
  return { name, contentType: 'application/json', bytes: Buffer.from(JSON.stringify(body)) };
}

/** Valid bodies of the operations that need no credential; a new one must be added. */
const ofPublic: Readonly<Record<string, object>> = {
  login: { username: 'x'.repeat(60), password: 'x'.repeat(1_000) },
  bootstrap: { token: 'cms_x', username: 'x', email: 'x@y.example', password: 'x'.repeat(1_000) },
};

const otherCalls: readonly CostlyCall[] = [
  ['GET', '/metrics'],
  ['GET', '/docs'],
  ['GET', '/docs/'],
  ['GET', '/docs/x/y'],
  ['GET', '/'],
  ['GET', '/ui'],
  ['GET', '/ui/'],
  ['GET', '/ui/assets/x'],
  ['POST', '/ui/'],
  ['POST', '/nothing'],
  ['GET', `/.well-known/acme-challenge/${'x'.repeat(43)}`],
  ['GET', `/fqdns?${'state=a&'.repeat(1_300)}`],
].map(([method = '', path = '']) => ({
  name: `${method} ${path.split('?')[0]}`,
  method,
  path,
  maxBytes: publicBytes,
}));

const names = (count: number) => Array.from({ length: count }, (_, n) => `${'x'.repeat(50)}${n}.example.com`);

/** Valid or nearly valid bodies of operations that the weakest caller may use. */
const ofWriters: Readonly<Partial<Record<Operation, readonly object[]>>> = {
  reviewFqdns: [{ names: names(1_000) }, { names: names(1_000).map((name) => `*.${name}`) }],
  createFqdn: [{ fqdn: 'x'.repeat(1_000) }, { fqdn: 'ü.'.repeat(500) }],
  changeFqdns: [
    { change: 'renewal', enabled: true, ids: Array.from({ length: 1_000 }, () => unknownId) },
    { ids: Array.from({ length: 5_000 }, () => 1) },
  ],
  importCertificate: [
    { pem: '-----BEGIN CERTIFICATE-----\n'.repeat(2_300) },
    { pem: `-----BEGIN CERTIFICATE-----\n${'A'.repeat(65_000)}\n-----END CERTIFICATE-----\n` },
  ],
  createTarget: [{ host: 'x'.repeat(1_000), addresses: Array.from({ length: 64 }, () => '::1') }],
  reportObservation: [{ chainPem: '-----BEGIN CERTIFICATE-----\n'.repeat(2_300) }],
};

/** Uploads of CSRs of so many names, of which the first is the FQDN. */
function uploadsOf(counts: readonly number[], fqdn: string, spaceId: string): Promise<WorstBody[]> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const boundary = 'boundary';
  const part = (disposition: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
  return Promise.all(
    counts.map(async (count) => {
      const dnsNames = Array.from({ length: count }, (_, n) => (n === 0 ? fqdn : `${n}.${fqdn}`));
      const { der } = await buildCsr({ privateKey, dnsNames });
      const base64 = der.toString('base64').replace(/.{64}/g, '$&\n');
      const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
      const file = part(`name="${certManagerContract.uploadCsr.body.file}"; filename="a.csr"`, pem);
      const fields = part('name="spaceId"', spaceId) + part('name="fqdn"', fqdn);
      const bytes = Buffer.from(`${fields}${file}--${boundary}--\r\n`);
      const contentType = `multipart/form-data; boundary=${boundary}`;
      return { name: `a CSR of ${count} names`, contentType, bytes };
    }),
  );
}

describeEachDialect('what callers may cost', (open) => {
  let app: SuiteApp;
  let server: Server;
  beforeAll(async () => {
    const consoleFolder = mkdtempSync(join(tmpdir(), 'certloop-console-'));
    writeFileSync(join(consoleFolder, 'index.html'), '<html><head></head><body>console</body></html>');
    app = await startApp(open, { consoleFolder });
    server = createServer(app.http).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await app.close();
  });

  const measure = async (calls: readonly CostlyCall[], name: string) => {
    const boundMs = calibratedMs(50);
    const { port } = server.address() as AddressInfo;
    const costs = await measureCalls({ port, calls, beside: ['/health/live'], boundMs });
    writeCosts(name, costs.costs);
    return faultsOfCosts(costs, boundMs);
  };

  test('every path that is served is called', async () => {
    const calls = callsOf(certManagerContract as Contract, '', () => ({ maxBytes: 0 }));
    expect(await uncalledRoutes(app.http, [...calls, ...otherCalls])).toEqual([]);
    expect(await uncalledRoutes(app.challengeHttp, otherCalls)).toEqual([]);
  });

  test('those without credentials hold no one up with any operation', async () => {
    const calls = callsOf(certManagerContract as Contract, '', (operation, { body }) => ({
      maxBytes: body === undefined ? 0 : publicBytes,
      bodies: operation in ofPublic ? [json(operation, ofPublic[operation] ?? {})] : [],
    }));
    const withBody = Object.entries(certManagerContract as Contract)
      .filter(([, endpoint]) => endpoint.public === true && endpoint.body !== undefined)
      .map(([operation]) => operation);
    expect(Object.keys(ofPublic)).toEqual(withBody);
    expect(await measure([...calls, ...otherCalls], 'cert-manager-strangers')).toEqual([]);
  });

  test('a body has at most 16 KiB where no credential is needed', async () => {
    const login = (bytes: number) => {
      const begin = '{"username":"ada","password":"x","more":"';
      const body = `${begin}${'x'.repeat(bytes - begin.length - 2)}"}`;
      return app.request.post('/auth/login').set('Content-Type', 'application/json').send(body);
    };
    expect((await login(16_384)).status).toBe(401);
    expect((await login(16_385)).status).toBe(413);
  });

  test('a user who may write in one space holds no one up with any operation', async () => {
    const { ben } = app.people;
    const space = await addSpace(app, 'weakest');
    await grant(app, ben, 'READ_WRITE', [space.id]);
    const fqdn = await addFqdn(app, space.id, 'www.example.com');
    const uploads = await uploadsOf([100, 1_000, 2_000], 'www.example.com', space.id);
    const isTheirs = ([operation]: [string, unknown]) => {
      const need = routeNeeds[operation as Operation];
      return need !== 'session' && need !== 'token' && need !== 'anonymous' && need !== 'before-setup';
    };
    const contract = Object.fromEntries(Object.entries(certManagerContract as Contract).filter(isTheirs));
    const calls = callsOf(
      contract,
      '',
      (operation, { body }) => ({
        headers: ben.auth,
        kind: body?.kind === 'multipart' ? 'multipart' : 'json',
        maxBytes: body?.kind === 'multipart' ? 65_536 : body === undefined ? 0 : app.config.bodyBytes,
        bodies:
          operation === 'uploadCsr'
            ? uploads
            : (ofWriters[operation as Operation] ?? []).map((one) => json(operation, one)),
      }),
      (name, operation) => {
        if (name === 'fqdnId') return fqdn.id;
        return certManagerContract[operation as Operation].path.startsWith(`/spaces/{${name}}`)
          ? space.id
          : unknownId;
      },
    );
    expect(await measure(calls, 'cert-manager-writers')).toEqual([]);
  });
});
