import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder } from '@certloop/contracts';
import { buildCsr, exportJwk, signJws } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { beginLife, type DeadlyTransaction, deathOf } from '../support/dying-process.js';
import { withKeys } from '../support/front/acme-clients.js';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { noteKilledOrder } from '../support/front/kill-table.js';
import { clearInventory } from '../support/renewals.js';

const leaseMs = 60_000;

// `npm run kills:clients` kills at all transactions; the tests where something is lost if it is not stored
const isWhole = process.env['CERTLOOP_CLIENT_KILLS'] === 'all';
const whens = ['before', 'after'] as const;
const allOf = (count: number): DeadlyTransaction[] =>
  Array.from({ length: count }, (_, index) => whens.map((when) => ({ number: index + 1, when }))).flat();

describeEachDialect('a process that is killed with the request of an ACME client', (open, dialect) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open, {}, { orders: { leaseMs } });
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  /** Sends a signed request to a process of its own, beside that of the place, which dies at the transaction. */
  const sendToDying = async (
    program: AcmeClient,
    { url, payload, at }: { readonly url: string; readonly payload: object; readonly at: DeadlyTransaction },
  ) => {
    const { app, ca } = place;
    const header = { nonce: await program.nonce(), url, kid: program.kid };
    const jws = await signJws(program.key, header, JSON.stringify(payload));
    return deathOf(
      beginLife({
        databaseUrl: app.databaseUrl,
        environment: { ...withKeys, DUMMY_CA_URL: ca.url },
        now: app.clock.now(),
        work: {
          path: new URL(url).pathname,
          auth: { 'content-type': 'application/jose+json', host: new URL(url).host },
          body: JSON.stringify(jws),
        },
        deadlyTransaction: at,
      }),
    );
  };

  /** The order as its client reads it; finalizes it again if that was lost, and waits for its end. */
  const endOf = async (program: AcmeClient, url: string, csr: string): Promise<AcmeOrder> => {
    let { body } = await program.post<AcmeOrder>(url);
    if (body.status === 'ready') ({ body } = await program.post<AcmeOrder>(body.finalize, { csr }));
    // by then, the process that died counts as dead
    place.app.clock.advance(4 * leaseMs);
    await place.app.recoverSigning();
    return (await program.post<AcmeOrder>(url)).body;
  };

  const csrOf = async (privateKey: KeyObject, name: string) =>
    (await buildCsr({ privateKey, dnsNames: [name] })).der.toString('base64url');

  /** How many certificates the CA has issued, and how many are stored. */
  const count = async () => {
    const stored = await place.app.database.read((tx) => tx.count(certificates));
    return { asked: place.ca.ids.length, stored };
  };
  /** Adds what came of an order to the table, and returns it. */
  const countSince = async (step: string, before: Awaited<ReturnType<typeof count>>) => {
    const now = await count();
    const since = { asked: now.asked - before.asked, stored: now.stored - before.stored };
    noteKilledOrder({ dialect, ca: 'signs', step, ...since });
    return since;
  };

  test.each(isWhole ? allOf(1) : allOf(1).slice(1))(
    'newOrder, $when transaction $number: the client orders again and gets its certificate',
    async (at) => {
      const { program } = await place.addProgram();
      const url = `${program.base}/acme/new-order`;
      const identifiers = dnsIdentifiers('www.example.com');
      const death = await sendToDying(program, { url, payload: { identifiers }, at });
      expect(death).toBe('SIGKILL');
      const before = await count();
      const { order } = await program.issue(identifiers);
      expect(order.status).toBe('valid');
      expect(await countSince(`newOrder, ${at.when} transaction ${at.number}`, before)).toEqual({
        asked: 1,
        stored: 1,
      });
    },
  );

  // its transactions: the order with its issuance, the claim of that, and the certificate with the end of both
  test.each(isWhole ? allOf(3) : allOf(3).slice(-2))(
    'finalize, $when transaction $number: one certificate of the CA, which the client gets',
    async (at) => {
      const { program } = await place.addProgram();
      const name = 'www.example.com';
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const csr = await csrOf(privateKey, name);
      const placed = await program.order(dnsIdentifiers(name));
      const before = await count();
      const death = await sendToDying(program, { url: placed.body.finalize, payload: { csr }, at });
      expect(death).toBe('SIGKILL');
      const order = await endOf(program, placed.headers.get('location') ?? '', csr);
      expect(order.status).toBe('valid');
      const { text } = await program.post(order.certificate ?? '');
      const leaf = new X509Certificate(text);
      expect(leaf.publicKey.export({ format: 'jwk' })).toMatchObject(exportJwk(privateKey));
      // a client that gave up and orders again with its key gets the same
      const again = await program.issue(dnsIdentifiers(name), {}, privateKey);
      expect(new X509Certificate(again.pem).serialNumber).toBe(leaf.serialNumber);
      expect(await countSince(`finalize, ${at.when} transaction ${at.number}`, before)).toEqual({
        asked: 1,
        stored: 1,
      });
    },
  );

  test.runIf(isWhole)(
    'finalize, while the CA issues: one certificate of the CA, which the client gets',
    async () => {
      const { program } = await place.addProgram();
      const { ca, app } = place;
      const name = 'www.example.com';
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const csr = await csrOf(privateKey, name);
      const placed = await program.order(dnsIdentifiers(name));
      const before = await count();
      ca.answer('with silence');
      const url = placed.body.finalize;
      const jws = await signJws(
        program.key,
        { nonce: await program.nonce(), url, kid: program.kid },
        JSON.stringify({ csr }),
      );
      const child = beginLife({
        databaseUrl: app.databaseUrl,
        environment: { ...withKeys, DUMMY_CA_URL: ca.url },
        now: app.clock.now(),
        work: {
          path: new URL(url).pathname,
          auth: { 'content-type': 'application/jose+json', host: new URL(url).host },
          body: JSON.stringify(jws),
        },
      });
      await ca.hasIssued(before.asked + 1);
      child.kill('SIGKILL');
      expect(await deathOf(child)).toBe('SIGKILL');
      ca.answer('normally');
      const order = await endOf(program, placed.headers.get('location') ?? '', csr);
      expect(order.status).toBe('valid');
      expect(await countSince('finalize, while the CA issues', before)).toEqual({ asked: 1, stored: 1 });
    },
  );
});
