import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { acmePaths } from '@certloop/acme-server/rules';
import { type Contract, certManagerContract, type Fqdn } from '@certloop/contracts';
import { hangMs } from '@certloop/contracts/testing';
import { buildCsr, csrLabels, formatPem } from '@certloop/crypto';
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
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Operation, routeNeeds } from '../../src/access/route-needs.js';
import { type SuiteApp, startApp } from '../support/app.js';
import { callBeside } from '../support/ask-beside.js';
import { costlyChain } from '../support/cas/costly-chain.js';
import { foreignCertificate } from '../support/cas/foreign-ca.js';
import { addToken, grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, pathOf, unknownId } from '../support/inventory.js';
import { seedEarlier, seedListed, seedWithCsrs } from '../support/large-place.js';
import { type Person, signIn } from '../support/people.js';

// ends a hang only: there are thousands of requests
vi.setConfig({ testTimeout: 3 * hangMs, hookTimeout: 3 * hangMs });

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
  ['GET', '/acme/renewal'],
  ...Object.values(acmePaths).flatMap((path) =>
    ['GET', 'POST'].map((method) => [method, `/acme${path.replaceAll(/:\w+/g, 'x')}`]),
  ),
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
    { action: 'renewal-on', dryRun: false, ids: Array.from({ length: 1_000 }, () => unknownId) },
    { action: 'renewal-on', dryRun: false, filter: { q: 'a' } },
    { ids: Array.from({ length: 5_000 }, () => 1) },
  ],
  importCertificate: [
    { pem: '-----BEGIN CERTIFICATE-----\n'.repeat(2_300) },
    { pem: `-----BEGIN CERTIFICATE-----\n${'A'.repeat(65_000)}\n-----END CERTIFICATE-----\n` },
  ],
  createTarget: [{ host: 'x'.repeat(1_000), addresses: Array.from({ length: 64 }, () => '::1') }],
  reportObservation: [{ chainPem: '-----BEGIN CERTIFICATE-----\n'.repeat(2_300) }],
  changePassword: [
    { currentPassword: 'ü'.repeat(100_000), newPassword: 'ü'.repeat(128) },
    { currentPassword: 'x', newPassword: 'ü'.repeat(100_000) },
  ],
  createApiToken: [
    {
      name: 'many',
      scope: 'READ',
      spaceIds: Array.from({ length: 1_000 }, () => unknownId),
      allowedCidrs: Array.from({ length: 100 }, (_, n) => `10.${n}.0.0/16`),
    },
    { name: 'x', scope: 'READ', renewable: true, password: 'ü'.repeat(100_000) },
  ],
};

const longText = (letters: number) => `${'a'.repeat(letters)}b`;
const sorted = 'include=status&limit=1000&sort=attention';

/** Queries of lists and searches that cost as much as any. */
const ofReaders: Readonly<Partial<Record<Operation, readonly string[]>>> = {
  getStats: ['detail=true'],
  listAllFqdns: [`q=${longText(61)}&${sorted}`, sorted, `cursor=${'A'.repeat(12_000)}`],
  countFqdnStates: [`q=${longText(61)}`],
  listFqdns: [`q=${longText(61)}&${sorted}`, sorted, `fqdn=${'%C3%BC.'.repeat(500)}`],
  listSpaces: [`q=${longText(50)}&include=counts&sort=attention`],
  getExpiryTimeline: ['bucket=day&from=2020-01-01T00:00:00Z&to=2021-01-30T00:00:00Z'],
  findCertificates: [`sha256=${'a:'.repeat(6_000)}`, `serialNumber=${'0'.repeat(12_000)}`],
  listRenewals: ['include=fqdn&limit=1000'],
  listServed: ['limit=1000'],
  listProviders: ['include=usage'],
  listAuditLogs: [`q=${longText(250)}&limit=1000`, `q=${'%C3%BC'.repeat(250)}`, 'offset=1000000'],
  exportAuditLogs: [`q=${longText(250)}&format=csv`, 'format=csv'],
  listChanges: ['since=0'],
};

const boundary = 'boundary';

/** The upload of a CSR for the FQDN. */
function uploadOf(name: string, der: Buffer, { fqdn, spaceId }: Pick<Fqdn, 'fqdn' | 'spaceId'>): WorstBody {
  const part = (disposition: string, text: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${text}\r\n`;
  const file = part(
    `name="${certManagerContract.uploadCsr.body.file}"; filename="a.csr"`,
    formatPem(csrLabels[0], der),
  );
  const fields = part('name="spaceId"', spaceId) + part('name="fqdn"', fqdn);
  const bytes = Buffer.from(`${fields}${file}--${boundary}--\r\n`);
  return { name, contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

/** CSRs of many names, of which the first is the FQDN, and of a large key with many addresses. */
async function costlyCsrs({ fqdn }: Pick<Fqdn, 'fqdn'>): Promise<(readonly [name: string, der: Buffer])[]> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ofNames = [100, 1_000, 2_000].map(async (count) => {
    const dnsNames = Array.from({ length: count }, (_, n) => (n === 0 ? fqdn : `${n}.${fqdn}`));
    return [`a CSR of ${count} names`, (await buildCsr({ privateKey, dnsNames })).der] as const;
  });
  const large = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const ipAddresses = Array.from({ length: 7_000 }, (_, n) => `10.${n >> 12}.${(n >> 6) & 63}.${n & 63}`);
  const { der } = await buildCsr({ privateKey: large.privateKey, dnsNames: [fqdn], ipAddresses });
  return [...(await Promise.all(ofNames)), ['RSA-4096 with 7,000 addresses', der]];
}

/** Credentials of a user who may write in one space: what each need accepts. */
async function credentialsOf(app: SuiteApp, person: Person) {
  const { writing } = await signIn(app, person);
  const leaving = await signIn(app, person);
  const renewable = { renewableUntil: new Date('2027-01-01T00:00:00Z'), lifetimeSeconds: 86_400 };
  const token = await addToken(app, person.id, { familyId: 'a'.repeat(8), ...renewable });
  const other = await addToken(app, person.id);
  const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
  return (operation: Operation): Readonly<Record<string, string>> => {
    // each ends what it is called with
    if (operation === 'logout') return leaving.writing;
    if (operation === 'deleteOwnApiToken') return bearer(other);
    const need = routeNeeds[operation];
    return need === 'session' ? writing : need === 'token' ? bearer(token) : person.auth;
  };
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
    const { port } = server.address() as AddressInfo;
    const costs = await measureCalls({ port, calls, beside: ['/health/live'], allowedMs: 50 });
    writeCosts(name, costs.costs);
    return faultsOfCosts(costs);
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
    const { ben: person } = app.people;
    const { id: spaceId } = await addSpace(app, 'weakest');
    await grant(app, person, 'READ_WRITE', [spaceId]);
    const fqdn = await addFqdn(app, spaceId, 'www.example.com');
    await seedListed(app.database, fqdn.id, 1_000);
    const headersOf = await credentialsOf(app, person);
    const send = (rest: string, body: object) =>
      app.request.post(pathOf(fqdn, rest)).set(person.auth).send(body).expect(201);
    const chainPem = await costlyChain(fqdn.fqdn, app.clock.now());
    const certificate = await send('certificates/import', { pem: chainPem });
    const target = await send('targets', { mode: 'report', host: '10.0.0.7' });
    const report = { address: '10.0.0.7', chainPem, observedAt: app.clock.now().toISOString() };
    const csrs = await costlyCsrs(fqdn);
    const bodies: Partial<Record<Operation, readonly WorstBody[]>> = {
      uploadCsr: csrs.map(([name, der]) => uploadOf(name, der, fqdn)),
      lintCsr: csrs.map(([name, der]) => json(name, { csrPem: formatPem(csrLabels[0], der) })),
      importCertificate: [json('a chain', { pem: chainPem })],
      reportObservation: [json('a chain', report)],
    };
    const isTheirs = ([operation]: [string, unknown]) =>
      !['anonymous', 'before-setup'].includes(routeNeeds[operation as Operation] as string);
    const contract = Object.fromEntries(Object.entries(certManagerContract as Contract).filter(isTheirs));
    const ids: Readonly<Record<string, string>> = {
      ...{ spaceId, fqdnId: fqdn.id, certId: certificate.body.id, targetId: target.body.id },
    };
    const calls = callsOf(
      contract,
      '',
      (operation, { body }) => ({
        headers: headersOf(operation as Operation),
        kind: body?.kind === 'multipart' ? 'multipart' : 'json',
        maxBytes: body?.kind === 'multipart' ? 65_536 : body === undefined ? 0 : app.config.bodyBytes,
        bodies: [
          ...(ofWriters[operation as Operation] ?? []).map((one) => json(operation, one)),
          ...(bodies[operation as Operation] ?? []),
        ],
      }),
      (name, operation) => {
        const { path } = certManagerContract[operation as Operation];
        if (path.startsWith('/users/')) return person.id;
        return path.startsWith(`/spaces/{${name}}`) ? spaceId : (ids[name] ?? unknownId);
      },
    );
    // what would delete the target comes last
    const isDeletion = ({ name }: CostlyCall) => name.startsWith('delete');
    const all = [...calls.filter((call) => !isDeletion(call)), ...calls.filter(isDeletion)];
    const searches = all.flatMap((call) =>
      (ofReaders[call.name as Operation] ?? []).map((query) => ({
        ...call,
        name: `${call.name} ${query.slice(0, 20)}`,
        path: `${call.path}?${query}`,
      })),
    );
    expect(await measure([...searches, ...all], 'cert-manager-writers')).toEqual([]);
  });

  test('lists of certificates and CSRs that are as large as any hold no one up', async () => {
    const { ada } = app.people;
    const { id: spaceId } = await addSpace(app, 'large');
    const fqdn = await addFqdn(app, spaceId, 'large.example.com');
    const now = app.clock.now();
    const dnsNames = [fqdn.fqdn, ...Array.from({ length: 5_000 }, (_, n) => `${n}.a`)];
    const validity = { notBefore: now, notAfter: new Date(now.getTime() + 86_400_000) };
    const { leafPem: pem } = await foreignCertificate({ dnsNames, ...validity });
    await app.request.post(pathOf(fqdn, 'certificates/import')).set(ada.auth).send({ pem }).expect(201);
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await addCsr(app, fqdn, (await buildCsr({ privateKey, dnsNames })).pem);
    const caller = await callBeside(app);
    // what runs for the first time is compiled first
    await caller.ask('GET', `/spaces/${spaceId}/fqdns?include=status`);
    await seedWithCsrs(app.database, fqdn.id, 100);
    const { size } = await caller.askBeside('GET', `/spaces/${spaceId}/fqdns?include=status`);
    expect(size).toBeGreaterThan(50_000);
    await seedEarlier(app.database, fqdn.id, 200);
    for (const rest of ['certificates?limit=1000', 'certificates', 'csr?limit=1000', 'csr']) {
      const answer = await caller.askBeside('GET', pathOf(fqdn, rest));
      expect(answer.size).toBeGreaterThan(10_000_000);
    }
    caller.close();
  });
});
