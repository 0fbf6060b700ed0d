import type { Fqdn } from '@certloop/contracts';
import { csrLabels, parsePem } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import { type OrderMoment, orderMoments } from '../../src/acme/orders/order-steps.js';
import { type Scripted, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, auditEntries, badIds, pathOf, unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import type { Person } from '../support/people.js';
import { configure, enable, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const keys = `one:${Buffer.alloc(32, 7).toString('base64')}`;

describeEachDialect('requesting a certificate', (open) => {
  let app: TestApp;
  let ca: ScriptedAcme;
  let deadly: OrderMoment | undefined;
  let atMoment: ((moment: OrderMoment) => Promise<void>) | undefined;
  let seen = 0;
  const pauses: number[] = [];

  beforeAll(async () => {
    ca = await startScriptedAcme(() => app.clock);
    app = await startApp(open, {
      environment: {
        ENCRYPTION_KEYS: keys,
        ACME_DIRECTORY_URL: ca.directoryUrl,
      },
      orders: {
        pause: async (ms) => void pauses.push(ms),
        atMoment: async (moment) => {
          await atMoment?.(moment);
          if (moment !== deadly) return;
          deadly = undefined;
          throw new Error('the process ends here');
        },
      },
    });
    await configureAcme({});
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });
  beforeEach(async () => {
    app.clock.set(new Date('2026-03-01T12:00:00Z'));
    ca.forget();
    // that CA numbers its orders from one again, which no job may hold
    await app.database.transaction((tx) => executeSql(tx, 'delete from issuance_jobs'));
    pauses.length = 0;
    atMoment = undefined;
    ca.processing = 0;
    ca.listsOrders = true;
  });

  const configureAcme = async (more: object) => {
    const challenge = { type: 'http-01', http01: { selfCheck: 'off' } };
    const config = { directoryUrl: ca.directoryUrl, termsOfServiceAgreed: true, challenge, ...more };
    await configure(app, await providerOf(app, 'acme'), config).expect(200);
  };
  const request = (fqdn: Fqdn, body: object = {}, person: Person = app.people.ada, query = 'wait=20') =>
    app.request
      .post(`${pathOf(fqdn, 'request-certificate')}?${query}`)
      .set(person.auth)
      .send(body);
  const certificatesOf = async (fqdn: Fqdn) =>
    (await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200)).body;

  test('gives a certificate, and hands the CSR in to the byte', async () => {
    const { fqdn, csr } = await fqdnWithCsr(app);
    const { body, headers } = await request(fqdn).expect(200);
    expect(body).toMatchObject({ success: true, certificate: (await certificatesOf(fqdn)).map(shown)[0] });
    expect(headers['location']).toBeUndefined();
    expect(ca.csrs).toEqual([parsePem(csr.csrPem, csrLabels).toString('base64url')]);
    expect((await auditEntries(app, 'certificate.request')).at(-1)).toMatchObject({ outcome: 'success' });
  });

  test('publishes the proof where CAs look for it, to anybody, as text', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.script('challenge', { status: 500, problem: 'serverInternal' });
    deadly = 'published';
    await request(fqdn, {}, app.people.ada, 'wait=0').expect(200);
    await quiet();
    const [row] = await app.database.read((tx) => tx.find(challengeTokens));
    const path = `/.well-known/acme-challenge/${row?.token}`;
    const { text, headers } = await app.request.get(path).expect(200);
    expect(text).toBe(row?.keyAuthorization);
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'cache-control': 'no-store' });
    await app.request.get('/.well-known/acme-challenge/evaGxfADs6pSRb2LAv9IZf17').expect(404, '');
    await app.request.get('/.well-known/acme-challenge/..%2f..%2fetc').expect(404, '');
    app.clock.advance(120_000);
    await app.takeUpJobs();
    await request(fqdn).expect(200);
  });

  describe('when the FQDN is deleted meanwhile', () => {
    /** Requests a certificate and deletes the FQDN at the moment. */
    async function deletedAt(deadline: OrderMoment): Promise<Fqdn> {
      const { fqdn } = await fqdnWithCsr(app);
      const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
      atMoment = async (moment) => {
        if (moment !== deadline) return;
        atMoment = undefined;
        await app.request.delete(path).set(app.people.ada.auth).expect(200);
      };
      await request(fqdn).expect(200);
      return fqdn;
    }
    const lost = async (fqdn: Fqdn) =>
      (await auditEntries(app, 'certificate.issue')).filter(
        ({ outcome, resourceId }) => outcome === 'failure' && resourceId === fqdn.id,
      );
    const published = () => app.database.read((tx) => tx.find(challengeTokens));

    test.each(['proofs_stored', 'published', 'answered', 'finalizing'] as const)(
      'at %s, withdraws the proofs and leaves at most what the CA issued in the audit log',
      async (moment) => {
        const fqdn = await deletedAt(moment);
        expect(await published()).toEqual([]);
        expect(await lost(fqdn)).toHaveLength(ca.csrs.length);
      },
    );

    test.each(['finalizing', 'finalized', 'downloaded'] as const)(
      'at %s, names the certificate in the audit log',
      async (moment) => {
        const fqdn = await deletedAt(moment);
        expect(ca.csrs).toHaveLength(1);
        expect(await lost(fqdn)).toMatchObject([
          {
            spaceId: fqdn.spaceId,
            details: {
              fqdn: fqdn.fqdn,
              provider: 'acme',
              serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
              spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            },
          },
        ]);
        expect(await published()).toEqual([]);
      },
    );
  });

  test('waits as long as the CA says', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.script('order', {
      status: 200,
      headers: { 'retry-after': '42' },
      body: {
        status: 'processing',
        identifiers: [{ type: 'dns', value: fqdn.fqdn }],
        authorizations: [],
        finalize: `${new URL(ca.directoryUrl).origin}/finalize/1`,
      },
    });
    expect((await request(fqdn).expect(200)).body.success).toBe(true);
    expect(pauses).toContain(42_000);
  });

  test('looks soon and then every second at an order whose CA names no moment', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.processing = 7;
    expect((await request(fqdn).expect(200)).body.success).toBe(true);
    expect(pauses).toEqual([50, 100, 250, 500, 1000, 1000, 1000]);
  });

  test('waits as long as a CA says that is busy', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.script('authorization', { status: 503, headers: { 'retry-after': '43' } });
    expect((await request(fqdn).expect(200)).body.success).toBe(true);
    expect(pauses).toContain(43_000);
  });

  test.each<[string, Parameters<ScriptedAcme['script']>, string, object]>([
    [
      'a rate limit',
      [
        'newOrder',
        { status: 429, problem: 'rateLimited', detail: 'slower', headers: { 'retry-after': '60' } },
      ],
      'order',
      {
        code: 'rateLimited',
        message: 'the CA refused: slower',
        retryable: true,
        retryAt: '2026-03-01T12:01:00.000Z',
        caProblemType: 'urn:ietf:params:acme:error:rateLimited',
      },
    ],
    [
      'a name that it does not certify',
      ['newOrder', { status: 400, problem: 'rejectedIdentifier', detail: 'not that one' }],
      'order',
      { code: 'rejectedIdentifier', retryable: false },
    ],
    [
      'the CSR',
      ['finalize', { status: 400, problem: 'badCSR', detail: 'ugly' }],
      'finalize',
      { code: 'badCSR', message: 'the CA refused: ugly', retryable: false },
    ],
    [
      'the account',
      ['newOrder', { status: 403, problem: 'userActionRequired', detail: 'read our terms' }],
      'order',
      { code: 'userActionRequired', retryable: false },
    ],
    ['everything', ['newOrder', { status: 503 }], 'order', { code: 'serverInternal', retryable: true }],
    [
      'by an answer that is none',
      ['newOrder', { status: 200, body: { status: 'odd' } }],
      'order',
      { code: 'upstream_failed', retryable: true },
    ],
  ])('reports at which step the CA refused %s', async (_, script, step, error) => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.script(...script);
    const { body } = await request(fqdn).expect(200);
    expect(body).toMatchObject({ success: false, stepStatus: { [step]: { status: 'failed', error } } });
    expect(body.certificate).toBeUndefined();
    expect(await certificatesOf(fqdn)).toEqual([]);
    expect((await auditEntries(app, 'certificate.fail')).at(-1)).toMatchObject({
      outcome: 'failure',
      details: { fqdn: fqdn.fqdn, reason: body.message },
    });
    expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
  });

  test('reports which names were proven and which were not', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn, 'away.example.org'));
    const names = [fqdn.fqdn, 'away.example.org'];
    const { origin } = new URL(ca.directoryUrl);
    const authorizations = (...statuses: string[]) =>
      names.map((value, index) => {
        const status = statuses[index];
        const challenge = { type: 'http-01', url: `${origin}/challenge/1.${index}`, status };
        const challenges = [{ ...challenge, token: `token-of-challenge-${index}` }];
        return { status: 200, body: { identifier: { type: 'dns', value }, status, challenges } };
      });
    ca.script(
      'authorization',
      ...authorizations('pending', 'pending'),
      ...authorizations('valid', 'invalid'),
    );
    const identifiers = names.map((value) => ({ type: 'dns', value }));
    const places = names.map((_, index) => `${origin}/authorization/1.${index}`);
    const order = { identifiers, authorizations: places, finalize: `${origin}/finalize/1` };
    ca.script('order', { status: 200, body: { status: 'invalid', ...order } });
    const { body } = await request(fqdn).expect(200);
    expect(body).toMatchObject({
      success: false,
      stepStatus: {
        challenges: {
          status: 'failed',
          items: { [fqdn.fqdn]: { status: 'ok' }, 'away.example.org': { status: 'failed' } },
        },
      },
    });
  });

  test('sends a request again whose nonce was refused, but not for ever', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    const refused = { status: 400, problem: 'badNonce' };
    ca.script('newOrder', refused, refused, refused);
    expect((await request(fqdn).expect(200)).body.success).toBe(true);
    ca.script('newOrder', ...Array.from({ length: 10 }, () => refused));
    const { body } = await request(fqdn, { confirmed: true }).expect(200);
    expect(body).toMatchObject({ stepStatus: { order: { error: { code: 'badNonce', retryable: true } } } });
  });

  test('registers again with a CA that has forgotten the account', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.script('newOrder', { status: 400, problem: 'accountDoesNotExist' });
    expect((await request(fqdn).expect(200)).body.success).toBe(true);
    expect(ca.asks.filter((ask) => ask === 'newAccount')).toHaveLength(1);
    expect(ca.orders).toHaveLength(1);
  });

  test.each([
    ['was replaced already', { status: 409, problem: 'alreadyReplaced' }],
    ['is not known', { status: 404, problem: 'malformed' }],
    ["is another account's", { status: 403, problem: 'unauthorized' }],
    ['is not found, which the CA calls a fault of its own', { status: 500, problem: 'serverInternal' }],
  ])('names the certificate that it replaces, and does without when that %s', async (_, refusal) => {
    const { fqdn } = await fqdnWithCsr(app);
    await request(fqdn).expect(200);
    ca.script('newOrder', refusal);
    expect((await request(fqdn, { confirmed: true }).expect(200)).body.success).toBe(true);
    expect(ca.orders.map(({ replaces }) => replaces)).toEqual([undefined, undefined]);
    await request(fqdn, { confirmed: true }).expect(200);
    expect(ca.orders.at(-1)?.['replaces']).toMatch(/^[\w-]+\.[\w-]+$/);
  });

  test('asks for the configured profile, if the CA has it', async () => {
    await configureAcme({ profile: 'short' });
    const { fqdn } = await fqdnWithCsr(app);
    await request(fqdn).expect(200);
    expect(ca.orders[0]).toMatchObject({ profile: 'short' });
    await configureAcme({ profile: 'long' });
    const { body } = await request(fqdn, { confirmed: true }).expect(200);
    expect(body).toMatchObject({
      message: 'the CA has no profile long; it offers short',
      stepStatus: { preflight: { status: 'failed', error: { code: 'unknown_profile' } } },
    });
    await configureAcme({});
  });

  describe('when a valid certificate exists', () => {
    test('asks for confirmation, and calls no CA', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const first = await request(fqdn).expect(200);
      ca.forget();
      const { body } = await request(fqdn).expect(200);
      expect(body).toMatchObject({
        success: false,
        message:
          'A valid certificate exists until 2026-05-30T12:00:00.000Z; send confirmed:true to replace it',
        certificate: first.body.certificate,
        requiresConfirmation: true,
        stepStatus: { csrCheck: { status: 'pending' }, existing: { status: 'needs_confirmation' } },
      });
      expect(ca.asks).toEqual([]);
      expect(await auditEntries(app, 'certificate.request.needs_confirmation')).not.toEqual([]);
    });

    test('needs no confirmation once its time to be renewed has come', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await request(fqdn).expect(200);
      app.clock.advance(65 * 86_400_000);
      try {
        expect((await request(fqdn).expect(200)).body.success).toBe(true);
      } finally {
        app.clock.advance(-65 * 86_400_000);
      }
    });
  });

  test('that is under way is waited for by anyone who asks again', async () => {
    const { fqdn } = await fqdnWithCsr(app);
    ca.processing = 5;
    const [one, other] = await Promise.all([
      request(fqdn, { confirmed: true }),
      request(fqdn, { confirmed: true }),
    ]);
    expect(one.body.certificate.id).toBe(other.body.certificate.id);
    expect(ca.orders).toHaveLength(1);
  });

  test('that takes longer than the call goes on, and can be followed', async () => {
    const { job, fqdn } = await addJob(app, {
      status: 'running',
      leaseUntil: new Date('2027-03-01T12:00:00Z'),
    });
    const { body, headers } = await request(fqdn, {}, app.people.ada, 'wait=0').expect(200);
    expect(body).toMatchObject({ success: false, stepStatus: { order: { status: 'pending' } } });
    expect(headers['location']).toBe(`/issuance-jobs/${job.id}`);
    const shownJob = await app.request.get(`/issuance-jobs/${job.id}`).set(app.people.ada.auth).expect(200);
    expect(shownJob.body).toMatchObject({ id: job.id, fqdnId: fqdn.id, status: 'running', success: false });
  });

  describe('is taken up after the end of a process', () => {
    test.each(orderMoments)('%s: one order, one certificate', async (moment) => {
      const { fqdn } = await fqdnWithCsr(app);
      deadly = moment;
      await request(fqdn, {}, app.people.ada, 'wait=0').expect(200);
      await quiet();
      expect(deadly).toBeUndefined();
      app.clock.advance(61_000);
      await app.takeUpJobs();
      const { body } = await request(fqdn).expect(200);
      expect(body).toMatchObject({ success: true, stepStatus: { store: { status: 'ok' } } });
      expect(ca.orders).toHaveLength(1);
      expect(ca.csrs).toHaveLength(1);
      expect(await certificatesOf(fqdn)).toHaveLength(1);
      expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
    });

    test('a CA that lists no orders certifies once all the same', async () => {
      ca.listsOrders = false;
      const { fqdn } = await fqdnWithCsr(app);
      deadly = 'ordered';
      await request(fqdn, {}, app.people.ada, 'wait=0').expect(200);
      await quiet();
      app.clock.advance(61_000);
      await app.takeUpJobs();
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.csrs).toHaveLength(1);
    });

    test('but not for ever: one that breaks off again and again is given up', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      deadly = 'account_known';
      await request(fqdn, {}, app.people.ada, 'wait=0').expect(200);
      await quiet();
      for (let tries = 2; tries <= 10; tries += 1) {
        deadly = 'account_known';
        app.clock.advance(61_000);
        await app.takeUpJobs();
        await quiet();
        expect(deadly).toBeUndefined();
      }
      app.clock.advance(61_000);
      await app.takeUpJobs();
      expect((await auditEntries(app, 'certificate.fail')).at(-1)).toMatchObject({
        resourceId: fqdn.id,
        details: { outcome: 'failure', reason: expect.stringMatching(/broke off 10 times/) },
      });
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.orders).toHaveLength(1);
    });

    test('at once when the process was stopped', async () => {
      const environment = { ACME_DIRECTORY_URL: ca.directoryUrl, ENCRYPTION_KEYS: keys };
      const other = await startAppOn(app.database, { environment, beside: app });
      const { fqdn } = await fqdnWithCsr(app);
      ca.processing = 1_000_000;
      await other.request
        .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
        .set(app.people.ada.auth)
        .expect(200);
      await other.close();
      ca.processing = 0;
      await app.takeUpJobs();
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.orders.length).toBeLessThanOrEqual(1);
      expect(ca.csrs).toHaveLength(1);
    });

    test('an order that a failed request left behind goes on in the next one', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      ca.script('certificate', { status: 503 });
      expect((await request(fqdn).expect(200)).body).toMatchObject({
        success: false,
        stepStatus: { download: { status: 'failed' } },
      });
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.orders).toHaveLength(1);
    });

    const refusedNonces = Array.from({ length: 10 }, () => ({ status: 400, problem: 'badNonce' }));
    test.each<[string, Scripted[]]>([
      ['a gateway that lets no call through', [{ status: 403, body: {} }]],
      ['a CA that takes no nonce', refusedNonces],
      ['a CA that does not take the signature', [{ status: 403, problem: 'unauthorized' }]],
    ])('an order whose CSR was handed in, after %s', async (_, answers) => {
      const { fqdn } = await fqdnWithCsr(app);
      ca.processing = 1;
      ca.script('order', undefined, ...answers);
      expect((await request(fqdn).expect(200)).body).toMatchObject({
        success: false,
        stepStatus: { finalize: { status: 'failed', error: { retryable: true } } },
      });
      expect(ca.csrs).toHaveLength(1);
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.orders).toHaveLength(1);
    });

    test('but not when the CA refuses for good to show the order', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      const refused = { status: 403, problem: 'unauthorized' };
      ca.processing = 1;
      ca.script('order', undefined, ...Array.from({ length: 5 }, () => refused));
      for (let tries = 0; tries < 5; tries += 1) {
        expect((await request(fqdn).expect(200)).body.success).toBe(false);
        expect(ca.orders).toHaveLength(1);
      }
      expect((await request(fqdn).expect(200)).body.success).toBe(true);
      expect(ca.orders).toHaveLength(2);
    });

    test('but not an order with another CA', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      ca.script('certificate', { status: 503 });
      expect((await request(fqdn).expect(200)).body.success).toBe(false);
      const other = await startScriptedAcme(() => app.clock);
      try {
        await configureAcme({ directoryUrl: other.directoryUrl, allowPrivateNetwork: true });
        expect((await request(fqdn).expect(200)).body).toMatchObject({ success: true });
        expect(other.orders).toHaveLength(1);
      } finally {
        await configureAcme({});
        await other.close();
      }
    });
  });

  describe('is refused', () => {
    test('to a caller with READ, and hidden from one with nothing', async () => {
      const { fqdn } = await fqdnWithCsr(app);
      await request(fqdn, {}, app.people.ben).expect(404);
      await grant(app, app.people.cleo, 'READ', [fqdn.spaceId]);
      await request(fqdn, {}, app.people.cleo).expect(403);
      const { job } = await addJob(app);
      await app.request.get(`/issuance-jobs/${job.id}`).set(app.people.ben.auth).expect(404);
      await grant(app, app.people.ben, 'READ', [job.spaceId]);
      await app.request.get(`/issuance-jobs/${job.id}`).set(app.people.ben.auth).expect(200);
      await app.request.post(`/issuance-jobs/${job.id}/continue`).set(app.people.ben.auth).expect(403);
    });

    test('without a CSR, for an unknown FQDN, or a body that is none', async () => {
      const { id } = await addSpace(app);
      const fqdn = await addFqdn(app, id, 'bare.example.org');
      await request(fqdn).expect(404);
      await request({ ...fqdn, id: unknownId }).expect(404);
      await request(fqdn, { confirmed: 'yes' }).expect(400);
      await request(fqdn, {}, app.people.ada, 'wait=121').expect(400);
      for (const bad of badIds)
        await app.request.get(`/issuance-jobs/${bad}`).set(app.people.ada.auth).expect(404);
    });

    test('while the ACME provider is disabled, or the FQDN has another one', async () => {
      const acme = await providerOf(app, 'acme');
      const { fqdn, space } = await fqdnWithCsr(app);
      await enable(app, acme, false).expect(200);
      expect((await request(fqdn).expect(400)).body.code).toBe('provider_disabled');
      await enable(app, acme).expect(200);
      const { id: providerId } = await providerOf(app, 'dummy-ca');
      const other = await app.request
        .post(`/spaces/${space.id}/fqdns`)
        .set(app.people.ada.auth)
        .send({ fqdn: 'other.example.org', providerId })
        .expect(201);
      await request(other.body as Fqdn).expect(404);
    });
  });

  function brokenCount(): number {
    return app.logged().filter(({ event }) => event === 'issuance.broken').length;
  }

  /** Lets what a request has begun in the background come to its end. */
  async function quiet(): Promise<void> {
    for (let left = 1500; left > 0 && brokenCount() === seen; left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    seen = brokenCount();
  }
});

function shown({ id, pem }: { readonly id: string; readonly pem: string }) {
  return { id, pem };
}
