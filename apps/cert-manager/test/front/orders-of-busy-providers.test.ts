import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder } from '@certloop/contracts';
import { deleteRows } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import type { Manner } from '../support/cas/fake-ca.js';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { auditEntries } from '../support/inventory.js';
import { clearInventory } from '../support/renewals.js';
import { enable } from '../support/signing.js';

describeEachDialect('the order of an ACME client', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await enable(place.app, place.provider).expect(200);
    await place.app.recoverSigning();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const readyOrder = async () => {
    const { program, client } = await place.addProgram();
    const placed = await program.order(dnsIdentifiers('www.example.com'));
    const url = placed.headers.get('location') ?? '';
    const read = async () => (await program.post<AcmeOrder>(url)).body;
    const retryAfter = async () => Number((await program.post(url)).headers.get('retry-after'));
    return { program, client, order: placed.body, read, retryAfter };
  };

  /** Lets time pass, and what is queued run. */
  const pass = async (seconds: number) => {
    place.app.clock.advance(seconds * 1000);
    await place.app.recoverSigning();
  };

  test('waits while its CA has no room, and gets its certificate as soon as it has', async () => {
    const { program, order, read } = await readyOrder();
    place.ca.answer('with a fault');
    const finalized = await program.finalize(order);
    expect(finalized.body.status).toBe('processing');
    expect(Number(finalized.headers.get('retry-after'))).toBeGreaterThan(0);
    place.ca.answer('normally');
    await pass(5);
    expect((await read()).status).toBe('valid');
  });

  test('ends after a minute without room, and its client learns that it is to come back', async () => {
    const { program, order, read, retryAfter } = await readyOrder();
    place.ca.answer('with a fault');
    await program.finalize(order);
    for (let tries = 0; tries < 13; tries += 1) await pass(5);
    expect(await read()).toMatchObject({
      status: 'invalid',
      error: {
        type: 'urn:ietf:params:acme:error:rateLimited',
        detail: expect.stringMatching(/the CA failed.*place another order later$/),
      },
    });
    const seconds = await retryAfter();
    expect(seconds).toBeGreaterThan(30);
    expect(seconds).toBeLessThanOrEqual(60);
    await pass(10);
    expect(await retryAfter()).toBe(seconds - 10);
  });

  test('ends if its issuance is lost, and no other order does', async () => {
    const [lost, other] = [await readyOrder(), await readyOrder()];
    place.ca.answer('with a fault');
    for (const { program, order } of [lost, other]) await program.finalize(order);
    const clientId = lost.client.id;
    // as by a backup from before it began
    await place.app.database.transaction((tx) => deleteRows(tx, issuances, { clientId }));
    await place.app.jobs.run('acme.orders');
    expect(await lost.read()).toMatchObject({
      status: 'invalid',
      error: {
        type: 'urn:ietf:params:acme:error:rateLimited',
        detail: expect.stringMatching(/lost; place another order$/),
      },
    });
    expect(await lost.retryAfter()).toBe(60);
    expect((await other.read()).status).toBe('processing');
    place.ca.answer('normally');
    const again = await lost.program.order(dnsIdentifiers('www.example.com'));
    expect((await lost.program.finalize(again.body)).body.status).toBe('valid');
  });

  test.each<[manner: Manner, type: string, detail: RegExp]>([
    ['with a rate limit', 'rateLimited', /place another order after 20\d\d-/],
    ['with a refusal', 'rejectedIdentifier', /./],
  ])('of a CA that answers %s ends as %s', async (manner, type, detail) => {
    const { program, order, client } = await readyOrder();
    place.ca.answer(manner);
    const { body } = await program.finalize(order);
    expect(body).toMatchObject({
      status: 'invalid',
      error: { type: `urn:ietf:params:acme:error:${type}`, detail: expect.stringMatching(detail) },
    });
    const [entry] = (await auditEntries(place.app, 'certificate.fail')).slice(-1);
    expect(entry).toMatchObject({ username: `acme:${client.name}`, details: { clientId: client.id } });
  });

  test('ends with a sentence if its provider is disabled before it is finalized', async () => {
    const { program, order } = await readyOrder();
    const before = place.ca.paths.length;
    await enable(place.app, place.provider, false).expect(200);
    const { body } = await program.finalize(order);
    expect(body.status).toBe('invalid');
    expect(body.error?.detail).toContain('disabled');
    expect(place.ca.paths.length).toBe(before);
  });

  test.each<[what: string, end: (program: AcmeClient, path: string) => Promise<unknown>]>([
    [
      'its client is deleted',
      (_, path) => place.app.request.delete(path).set(place.app.people.ada.auth).expect(200),
    ],
    ['its account is deactivated', (program) => program.post(program.kid, { status: 'deactivated' })],
  ])('is not sent to its CA any more once %s', async (_, end) => {
    const { program, order, client } = await readyOrder();
    place.ca.answer('with a fault');
    await program.finalize(order);
    place.ca.answer('normally');
    const before = place.ca.ids.length;
    await end(program, `/spaces/${client.spaceId}/acme-clients/${client.id}`);
    await pass(30);
    expect(place.ca.ids.length).toBe(before);
  });
});
