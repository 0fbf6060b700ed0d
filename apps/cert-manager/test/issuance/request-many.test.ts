import { setTimeout as pause } from 'node:timers/promises';
import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IssuanceRow, issuances } from '../../src/issuance/signing/issuances.repository.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { configure, newCsr, providerOf } from '../support/signing.js';

const leaseMs = 6000;
const count = 64;

const environmentOf = (ca: ScriptedAcme) => ({
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
  ACME_DIRECTORY_URL: ca.directoryUrl,
});

describeEachDialect('requests for certificates, many at once', (open) => {
  let app: TestApp;
  let ca: ScriptedAcme;
  let csrPem: string;
  beforeAll(async () => {
    ca = await startScriptedAcme(() => app.clock);
    const orders = { pause: async () => undefined, leaseMs };
    app = await startApp(open, { environment: environmentOf(ca), orders });
    csrPem = await newCsr('www.example.org');
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });

  const configureAcme = async (more: object) =>
    configure(app, await providerOf(app, 'acme'), { ...orderingByHttp(ca), ...more }).expect(200);

  /** FQDNs in spaces of their own, made a few at a time, since a busy machine would refuse calls of hundreds at once. */
  async function fqdnsWithCsr(length: number): Promise<Fqdn[]> {
    const made: Fqdn[] = [];
    const makeOne = async () => {
      const other = await addSpace(app);
      const fqdn = await addFqdn(app, other.id, 'www.example.org');
      await addCsr(app, fqdn, csrPem);
      made.push(fqdn);
    };
    while (made.length < length) {
      await Promise.all(Array.from({ length: Math.min(20, length - made.length) }, makeOne));
    }
    return made;
  }

  const request = (fqdn: Fqdn, on: TestApp = app) =>
    on.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
      .set(app.people.ada.auth)
      .send({})
      .expect(200);
  const jobs = () => app.database.read((tx) => tx.find(issuances));
  const isOpen = ({ state }: Pick<IssuanceRow, 'state'>) => state === 'queued' || state === 'running';
  const failures = async () =>
    (await jobs()).filter(({ state }) => state !== 'issued').map(({ state, message }) => message ?? state);

  /** Resolves when no job runs; how often all leases were extended before that, after each of which the clock moves. */
  async function ended({ moveMs = 0 } = {}): Promise<number> {
    for (let moves = 0; ; await pause(100)) {
      const open = (await jobs()).filter(isOpen);
      if (open.length === 0) return moves;
      const running = open.filter(({ state }) => state === 'running');
      const full = app.clock.now().getTime() + leaseMs;
      if (moveMs === 0 || running.some(({ leaseUntil }) => Number(leaseUntil) < full)) continue;
      app.clock.advance(moveMs);
      moves += 1;
      // a process that finds a lapsed lease would take the job up
      await app.takeUpJobs();
    }
  }

  test('all succeed, however long they wait for each other', async () => {
    // the last ones wait for longer than the CA may take for one answer, and than a lease lasts
    await configureAcme({ timeouts: { requestMs: 5000 }, limits: { maxConcurrency: 8 } });
    ca.orderMs = 1000;
    const made = await fqdnsWithCsr(count);
    await Promise.all(made.map((fqdn) => request(fqdn)));
    const moveMs = 4000;
    expect((await ended({ moveMs })) * moveMs).toBeGreaterThan(leaseMs);
    expect(app.logged().filter(({ event }) => event === 'issuance.taken_over')).toEqual([]);
    expect(await failures()).toEqual([]);
    expect(await jobs()).toHaveLength(count);
    expect(ca.orders).toHaveLength(count);
    expect(ca.csrs).toHaveLength(count);
  });

  test('that wait during a shutdown are executed by the next process', async () => {
    ca.forget();
    ca.orderMs = 200;
    const other = await startAppOn(app.database, { environment: environmentOf(ca), beside: app });
    // more than a process works on at once
    const made = await fqdnsWithCsr(40);
    await Promise.all(made.map((fqdn) => request(fqdn, other)));
    await other.close();
    ca.orderMs = 0;
    await app.takeUpJobs();
    await ended();
    expect(await failures()).toEqual([]);
    expect(ca.csrs).toHaveLength(40);
  });
});
