import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createKeyedLimiter, createLogger } from '@certloop/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { acmeDnsBackend, updateBackend, webhookBackend } from '../../src/acme/dns/dns-backends.service.js';
import { dnsProof } from '../../src/acme/dns/dns-proof.js';
import { waitForRecord } from '../../src/acme/dns/dns-propagation.client.js';
import { createDnsView } from '../../src/acme/dns/dns-view.client.js';
import { createDnsProver } from '../../src/acme/orders/prover.service.js';
import { type SmallDns, startSmallDns } from '../support/acme/small-dns.js';
import { listening, textOf } from '../support/small-server.js';

const key = { name: 'updates', secret: new Uint8Array(randomBytes(32)) };
const zone = 'proofs.example.net';
const record = { name: `www.${zone}`, value: 'abc' };
const logger = createLogger({ service: 'cert-manager', level: 'silent' });

let dns: SmallDns;
beforeEach(async () => {
  dns = await startSmallDns(key, zone);
});
afterEach(() => dns.close());

const viewOf = (refusalOf: (address: string) => string | undefined = () => undefined, zonePort = dns.port) =>
  createDnsView({ resolvers: [{ host: '127.0.0.1', port: dns.port }], refusalOf, zonePort });

describe('the name under which a proof is published', () => {
  test('is the end of the CNAME chain', async () => {
    dns.set('_acme-challenge.www.example.org', 'CNAME', 'www.example.org.delegated.example.org');
    dns.set('www.example.org.delegated.example.org', 'CNAME', `WWW.${zone}`);
    expect(await viewOf().effectiveName('_acme-challenge.www.example.org')).toBe(`www.${zone}`);
  });

  test('is the usual one without CNAME records, and without an answer', async () => {
    const view = viewOf();
    expect(await view.effectiveName('_acme-challenge.example.org')).toBe('_acme-challenge.example.org');
    await dns.close();
    expect(await view.effectiveName('_acme-challenge.example.org')).toBe('_acme-challenge.example.org');
  });

  test.each([
    ['of two', ['b', 'a'], /the CNAME records of a\.test lead in a circle/],
    ['of one', ['a'], /lead in a circle/],
    ['of nine in a row', ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'], /are more than 8 in a row/],
  ])('is undefined for a chain %s', async (_, names, message) => {
    let from = 'a.test';
    for (const name of names) {
      dns.set(from, 'CNAME', `${name}.test`);
      from = `${name}.test`;
    }
    await expect(viewOf().effectiveName('a.test')).rejects.toThrow(message);
  });
});

describe('whether a record can be seen', () => {
  const ownZone = () => {
    dns.set(zone, 'SOA', `ns.${zone}`);
    dns.set(zone, 'NS', `ns.${zone}`);
    dns.set(`ns.${zone}`, 'A', '127.0.0.1');
  };
  const wait = (view = viewOf(), pause: () => Promise<void> = async () => undefined) =>
    waitForRecord({ view, timeoutS: 3, intervalS: 1 }, pause, record);

  test('is judged at the name servers of its zone', async () => {
    ownZone();
    dns.set(record.name, 'TXT', 'other', 'abc');
    expect(await viewOf().zoneOf(record.name)).toBe(zone);
    expect(await viewOf().serversOf(zone)).toEqual([{ host: '127.0.0.1', port: dns.port }]);
    expect(await wait()).toBeUndefined();
  });

  test('is queried again until it is visible', async () => {
    ownZone();
    const pauses: number[] = [];
    const late = async () => {
      pauses.push(1);
      if (pauses.length === 2) dns.set(record.name, 'TXT', 'abc');
    };
    expect(await wait(viewOf(), late)).toBeUndefined();
    expect(pauses).toHaveLength(2);
  });

  test('is a sentence after a timeout, which names the servers without it', async () => {
    ownZone();
    expect(await wait()).toBe(
      `www.${zone} TXT cannot be seen at 1 of 1 name servers of ${zone} from here after 3 s`,
    );
  });

  test('is judged by the resolvers if no name server may be queried, or none responds', async () => {
    ownZone();
    dns.set(record.name, 'TXT', 'abc');
    const guarded = viewOf((address) => (address === '127.0.0.1' ? 'is a private address' : undefined));
    expect(await guarded.serversOf(zone)).toEqual([]);
    expect(await wait(guarded)).toBeUndefined();
    expect(await wait(viewOf(() => undefined, 1))).toBeUndefined();
  });
});

describe('a zone by signed updates', () => {
  const backendOf = (change: { readonly zone?: string | undefined; readonly secret?: Uint8Array } = {}) => {
    const view = viewOf();
    const { secret = key.secret } = change;
    return updateBackend(
      {
        resolveServer: async () => '127.0.0.1',
        port: dns.port,
        zone: 'zone' in change ? change.zone : zone,
        findZone: (name) => view.zoneOf(name),
        key: { name: key.name, secret },
        clock: { now: () => new Date('2026-03-01T12:00:00Z') },
        requestMs: 2000,
      },
      {
        propagation: { view, timeoutS: 2, intervalS: 1 },
        limitByName: createKeyedLimiter(1),
        pause: async () => undefined,
      },
    );
  };
  const proverOf = (backend = backendOf()) => createDnsProver(backend, { logger });
  const proofOf = (identifier: string, token: string, isWildcard = false) => ({
    type: 'dns-01' as const,
    url: `https://ca.test/${token}`,
    token,
    identifier: { type: 'dns', value: identifier },
    isWildcard,
  });

  test('contains the proofs of a wildcard, its base and another process, and each removes only its own', async () => {
    dns.set('_acme-challenge.example.org', 'CNAME', `example.${zone}`);
    const [one, other] = [proverOf(), proverOf()];
    const proofs = await Promise.all([
      one.locate(proofOf('example.org', 'a')),
      one.locate(proofOf('example.org', 'b', true)),
      other.locate(proofOf('example.org', 'c')),
    ]);
    expect(proofs.map(({ recordName }) => recordName)).toEqual(Array(3).fill(`example.${zone}`));
    const [base, wildcard, foreign] = proofs as [(typeof proofs)[0], (typeof proofs)[0], (typeof proofs)[0]];
    const values = ['a', 'b', 'c'].map((answer) => dnsProof('example.org', answer).value);
    await Promise.all([one.present(base, 'a'), one.present(wildcard, 'b'), other.present(foreign, 'c')]);
    expect([...dns.valuesOf(`example.${zone}`, 'TXT')].sort()).toEqual([...values].sort());
    await one.withdraw(base, 'a');
    await one.withdraw(wildcard, 'b');
    expect(dns.valuesOf(`example.${zone}`, 'TXT')).toEqual([values[2]]);
    expect(await other.check(foreign, 'c')).toBeUndefined();
    await other.withdraw(foreign, 'c');
    expect(dns.valuesOf(`example.${zone}`, 'TXT')).toEqual([]);
  });

  test('is removed where it was published, although the CNAME has changed since', async () => {
    dns.set('_acme-challenge.example.org', 'CNAME', `example.${zone}`);
    const proof = await proverOf().locate(proofOf('example.org', 'a'));
    await proverOf().present(proof, 'a');
    dns.set('_acme-challenge.example.org', 'CNAME', `elsewhere.${zone}`);
    await proverOf().withdraw(proof, 'a');
    expect(dns.valuesOf(`example.${zone}`, 'TXT')).toEqual([]);
  });

  test('is found by SOA queries if none is configured', async () => {
    dns.set(zone, 'SOA', `ns.${zone}`);
    await backendOf({ zone: undefined }).present(record, {
      identifier: { value: '' },
      token: '',
      answer: '',
    });
    expect(dns.changes).toEqual([{ act: 'add', ...record }]);
  });

  test.each([
    ['has another key', { secret: new Uint8Array(32) }, record.name, /refused the update of .*NOTAUTH/],
    [
      'does not have the name',
      {},
      'www.example.org',
      /www\.example\.org is not in the zone proofs\.example\.net/,
    ],
    ['cannot be found', { zone: undefined }, record.name, /the zone of .* cannot be found/],
  ])('that %s is a failure', async (_, change, name, message) => {
    const source = { identifier: { value: '' }, token: '', answer: '' };
    await expect(backendOf(change).present({ name, value: 'abc' }, source)).rejects.toThrow(message);
    expect(dns.changes).toEqual([]);
  });

  test('is tested without a change', async () => {
    expect(await backendOf().probe()).toBe(`the name server takes updates of ${zone}`);
    await expect(backendOf({ secret: new Uint8Array(32) }).probe()).rejects.toThrow(/NOTAUTH/);
    expect(await backendOf({ zone: undefined }).probe()).toMatch(/has an address/);
    expect(dns.changes).toEqual([]);
  });
});

describe('a zone behind HTTP', () => {
  const bodies: unknown[] = [];
  let url: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = createServer(async (request, response) => {
      bodies.push(JSON.parse((await textOf(request)) || '{}'));
      response.writeHead(request.method === 'GET' ? 404 : 200).end();
    });
    ({ url, close } = await listening(server));
  });
  afterAll(() => close());

  const deps = () => ({
    propagation: { view: viewOf(), timeoutS: 2, intervalS: 1 },
    limitByName: createKeyedLimiter(1),
    pause: async () => undefined,
  });

  test('receives the name at the end of the CNAME chain', async () => {
    dns.set('_acme-challenge.example.org', 'CNAME', `example.${zone}`);
    const backend = webhookBackend({ fetch, url, mode: 'fqdn-value', requestMs: 2000 }, deps());
    const prover = createDnsProver(backend, { logger });
    const identifier = { type: 'dns', value: 'example.org' };
    const proof = { type: 'dns-01' as const, url: 'u', token: 't', identifier, isWildcard: false };
    await prover.present(await prover.locate(proof), 'answer');
    expect(bodies.at(-1)).toEqual({
      fqdn: `example.${zone}.`,
      value: dnsProof('example.org', 'answer').value,
    });
    expect(await backend.probe()).toBe('the DNS webhook answers with 404');
  });

  test('of acme-dns requires a CNAME to its own name', async () => {
    const account = { username: 'u', password: 'p', subdomain: 's', fullDomain: `s.${zone}` };
    const backend = acmeDnsBackend({ fetch, url, requestMs: 2000, ...account }, deps());
    expect(await backend.propagated({ name: '_acme-challenge.example.org', value: 'abc' })).toBe(
      `_acme-challenge.example.org does not lead to s.${zone} by CNAME`,
    );
    dns.set(`s.${zone}`, 'TXT', 'abc');
    expect(await backend.propagated({ name: `s.${zone}`, value: 'abc' })).toBeUndefined();
  });
});
