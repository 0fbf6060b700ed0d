import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { TestApp } from '../support/app.js';
import {
  beginHeld,
  callSign,
  countAsked,
  letGo,
  signEntries,
  startTwoProcesses,
  type TwoProcesses,
  takeOver,
  untilWaiting,
} from '../support/cas/concurrent-signing.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { grant } from '../support/factories.js';
import { pathOf } from '../support/inventory.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { fqdnWithCsr } from '../support/signing.js';

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

describeEachDialect('a call of csr/sign that is equal to a running one', (open) => {
  let place: TwoProcesses;
  let other: TestApp;
  beforeAll(async () => {
    place = await startTwoProcesses(open);
    ({ other } = place);
  });
  afterEach(async () => {
    await letGo(place.ca);
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const callOf = (fqdn: Fqdn, app: TestApp = place.app) => ({ app, fqdn, providerId: place.providerId });
  const pemsOf = async (fqdn: Fqdn) => (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);
  const joinedOf = async (fqdn: Fqdn) =>
    (await signEntries(place.app, fqdn)).map(({ details }) => details['joined']);

  test.each([2, 20])(
    'gets its certificate: %d calls, one request to the CA, an audit entry each',
    async (count) => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const before = countAsked(ca);
      const first = await beginHeld(ca, callOf(fqdn));
      const others = Array.from({ length: count - 1 }, () => callSign(callOf(fqdn)));
      await untilWaiting([app], fqdn, count - 1);
      await letGo(ca);
      const responses = await Promise.all([first.response, ...others]);

      expect(countAsked(ca) - before).toBe(1);
      const [pem, ...further] = await pemsOf(fqdn);
      expect(further).toEqual([]);
      expect(responses.map(({ status, body }) => [status, body.success, body.certificate])).toEqual(
        responses.map(() => [200, true, pem]),
      );
      const entries = await signEntries(app, fqdn);
      const [{ id: certificateId } = { id: '' }] = await certificatesOf(app, fqdn);
      expect(entries).toMatchObject(
        Array.from({ length: count }, () => ({ outcome: 'success', details: { certificateId } })),
      );
      const joined = entries.flatMap(({ details }) => details['joined'] ?? []);
      expect(joined).toHaveLength(count - 1);
      expect(new Set(joined).size).toBe(1);
      expect(joined[0]).toEqual(uuid);
    },
  );

  test('is audited with its own caller', async () => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const { ben } = app.people;
    await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
    const first = await beginHeld(ca, callOf(fqdn));
    const second = callSign({ ...callOf(fqdn), person: ben });
    await untilWaiting([app], fqdn, 1);
    await letGo(ca);
    expect([(await first.response).body.success, (await second).body.success]).toEqual([true, true]);
    const entries = await signEntries(app, fqdn);
    const byName = new Map(entries.map(({ username, details }) => [username, details['joined']]));
    expect(byName).toEqual(
      new Map([
        [app.people.ada.username, undefined],
        [ben.username, uuid],
      ]),
    );
  });

  describe('in another process', () => {
    test('gets its certificate', async () => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const before = countAsked(ca);
      const first = await beginHeld(ca, callOf(fqdn));
      const others = [callSign(callOf(fqdn, other)), callSign(callOf(fqdn, other))];
      await untilWaiting([other], fqdn, 2);
      await letGo(ca);
      const responses = await Promise.all([first.response, ...others]);
      expect(countAsked(ca) - before).toBe(1);
      const [pem = '', ...further] = await pemsOf(fqdn);
      expect(further).toEqual([]);
      expect(responses.map(({ body }) => body.certificate)).toEqual([pem, pem, pem]);
      expect((await joinedOf(fqdn)).filter((joined) => joined !== undefined)).toEqual([uuid, uuid]);
    });

    test('is one of twenty that begin at the same moment, of which one asks the CA', async () => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const before = countAsked(ca);
      ca.answer('when let go');
      const calls = Array.from({ length: 20 }, (_, n) => callSign(callOf(fqdn, n % 2 === 0 ? app : other)));
      await untilWaiting([app, other], fqdn, 19);
      await letGo(ca);
      const responses = await ca.letGoUntil(Promise.all(calls));
      expect(countAsked(ca) - before).toBe(1);
      const [pem, ...further] = await pemsOf(fqdn);
      expect(further).toEqual([]);
      expect(new Set(responses.map(({ body }) => body.certificate))).toEqual(new Set([pem]));
      expect((await joinedOf(fqdn)).filter((joined) => joined === undefined)).toHaveLength(1);
    });

    test('asks the CA itself if the running one fails', async () => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const before = countAsked(ca);
      const first = await beginHeld(ca, callOf(fqdn));
      const second = callSign(callOf(fqdn, other));
      await untilWaiting([other], fqdn, 1);
      await letGo(ca, 'with a refusal');
      expect((await first.response).body.success).toBe(false);
      expect((await second).body).toMatchObject({ success: true });
      expect(countAsked(ca) - before).toBe(2);
      expect(await pemsOf(fqdn)).toEqual([(await second).body.certificate]);
    });

    test('requests another certificate if that of the running one is revoked before it is returned', async () => {
      const { app, ca } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const undo = await revokeFirst(app, fqdn);
      try {
        const before = ca.ids.length;
        const first = await beginHeld(ca, callOf(fqdn));
        const second = callSign(callOf(fqdn, other));
        await untilWaiting([other], fqdn, 1);
        await letGo(ca);
        const pem = (await first.response).body.certificate;
        const { body } = await second;
        expect(body.success).toBe(true);
        expect(await pemsOf(fqdn)).toEqual([pem, body.certificate]);
        expect(body.certificate).not.toBe(pem);
        expect(ca.ids.length - before).toBe(2);
      } finally {
        await undo();
      }
    });

    test('gets the certificate of a process that dies, after the lease of that one has expired', async () => {
      const { app, ca, providerId } = place;
      const { fqdn } = await fqdnWithCsr(app);
      const before = ca.ids.length;
      ca.answer('with silence');
      const { databaseUrl } = app;
      const work = { path: pathOf(fqdn, 'csr/sign'), auth: app.people.ada.auth, body: { providerId } };
      const child = beginLife({ databaseUrl, environment: place.environment, now: app.clock.now(), work });
      await ca.hasIssued(before + 1);
      child.kill('SIGKILL');
      expect(await deathOf(child)).toBe('SIGKILL');
      ca.answer('normally');
      const call = callSign(callOf(fqdn));
      await untilWaiting([app], fqdn, 1);
      await takeOver(other);
      expect((await call).body).toMatchObject({ success: true });
      expect(ca.ids.length - before).toBe(1);
      expect(await pemsOf(fqdn)).toEqual([(await call).body.certificate]);
    });
  });

  test('gets the same refusal, and an audit entry of its own', async () => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const before = countAsked(ca);
    const first = await beginHeld(ca, callOf(fqdn));
    const second = callSign(callOf(fqdn));
    await untilWaiting([app], fqdn, 1);
    await letGo(ca, 'with a refusal');
    const { body } = await first.response;
    expect(body).toEqual({ success: false, message: expect.stringContaining('is not liked') });
    expect((await second).body).toEqual(body);
    expect(countAsked(ca) - before).toBe(1);
    const entries = await signEntries(app, fqdn);
    expect(entries.map(({ outcome }) => outcome)).toEqual(['failure', 'failure']);
    expect(entries.filter(({ details }) => details['joined'] !== undefined)).toHaveLength(1);
    expect(await pemsOf(fqdn)).toEqual([]);
  });

  test('returns 404, like the running one, if the FQDN is deleted', async () => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const first = await beginHeld(ca, callOf(fqdn));
    const second = callSign(callOf(fqdn));
    await untilWaiting([app], fqdn, 1);
    await app.request.delete(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`).set(app.people.ada.auth).expect(200);
    await letGo(ca);
    expect([(await first.response).status, (await second).status]).toEqual([404, 404]);
  });

  test('requests a certificate of its own if the running one has ended', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    const first = await callSign(callOf(fqdn));
    const second = await callSign(callOf(fqdn, other));
    expect(await pemsOf(fqdn)).toEqual([first.body.certificate, second.body.certificate]);
    expect(await joinedOf(fqdn)).toEqual([undefined, undefined]);
  });
});

/** Makes the database revoke the first certificate of an FQDN in the transaction that stores it; returns how to undo that. */
async function revokeFirst({ database }: TestApp, { id }: Fqdn): Promise<() => Promise<void>> {
  const isSqlite = database.dialect.name === 'sqlite';
  const run = (text: string) => database.transaction((tx) => tx.query(text));
  const isFirst = '(select count(*) from certificates where fqdn_id = new.fqdn_id) = 1';
  const revoke = 'update certificates set revoked_at = created_at where id = new.id';
  if (isSqlite) {
    await run(`create trigger revoking after insert on certificates
      when new.fqdn_id = '${id}' and ${isFirst} begin ${revoke}; end`);
  } else {
    await run(`create or replace function revoke_first() returns trigger language plpgsql
      as $$ begin if ${isFirst} then ${revoke}; end if; return null; end $$`);
    await run(`create trigger revoking after insert on certificates for each row
      when (new.fqdn_id = '${id}') execute function revoke_first()`);
  }
  return () => run(`drop trigger revoking${isSqlite ? '' : ' on certificates'}`);
}
