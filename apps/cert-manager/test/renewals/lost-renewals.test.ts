import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addCsr, auditEntries } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
} from '../support/renewals.js';
import { configure, countOpenRequests, newCsr } from '../support/signing.js';

const leaseMs = 120_000;

/** What the death of the process looks like to the renewal that is under way. */
class Death extends Error {}

describeEachDialect('a certificate that was issued for a failed renewal', (open) => {
  let place: RenewalPlace;
  let isDeadly = false;
  beforeAll(async () => {
    const atStep = async (step: string) => {
      if (step !== 'answered' || !isDeadly) return;
      isDeadly = false;
      throw new Death(step);
    };
    place = await startRenewing(open, { renewals: { atStep, leaseMs } });
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
    await place.app.recoverSigning();
  });
  afterAll(() => place.close());

  const requests = () => countOpenRequests(place.app);
  const takeOver = async (): Promise<void> => {
    place.app.clock.advance(3 * leaseMs);
    await place.app.recoverSigning();
  };
  const expectEachOnce = async (fqdn: Fqdn, count: number): Promise<void> => {
    const pems = (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);
    expect([pems.length, new Set(pems).size]).toEqual([count, count]);
  };
  const dieRenewing = async (): Promise<void> => {
    isDeadly = true;
    expect(await place.app.renew()).toMatchObject({ broken: 1 });
    place.app.clock.advance(leaseMs);
  };
  const failuresOf = async ({ id }: Fqdn) =>
    (await auditEntries(place.app, 'certificate.issue')).filter(({ resourceId }) => resourceId === id);

  describe.each([
    ['a planned one', moveToRenewal],
    ['a test', addTestRenewal],
  ] as const)('and was %s', (_, due) => {
    test('is stored when the CA responds again, even if it was down when the next process took over', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await due(app, fqdn);
      const before = ca.ids.length;
      await dieRenewing();
      ca.answer('with a fault');
      expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 0, failed: [{}] });
      ca.answer('normally');
      // the first call gets what was issued for the renewal
      await signWith(place, fqdn);
      await signWith(place, fqdn);
      await takeOver();
      expect([ca.ids.length - before, await requests()]).toEqual([2, 0]);
      await expectEachOnce(fqdn, 3);
    });

    test('is stored if the response was lost and another certificate was stored in the meantime', async () => {
      const { app, ca, providerId } = place;
      const fqdn = await renewedFqdn(place);
      await due(app, fqdn);
      const before = ca.ids.length;
      await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30, timeoutMs: 2000 }).expect(
        200,
      );
      ca.answer('with silence');
      expect(await app.renew()).toMatchObject({ renewed: 0, failed: [{}] });
      ca.answer('normally');
      await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
      // the first call gets what was issued for the renewal
      await signWith(place, fqdn);
      await signWith(place, fqdn);
      await takeOver();
      expect([ca.ids.length - before, await requests()]).toEqual([2, 0]);
      await expectEachOnce(fqdn, 3);
    });
  });

  test('is stored later if the CA did not show the root that it chains to', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    await ca.restart();
    ca.answer('without its root');
    expect((await signWith(place, fqdn)).body).toMatchObject({ success: false });
    expect(await app.renew()).toMatchObject({ renewed: 0, failed: [{}] });
    // both ask with the same key
    expect([ca.ids.length, await requests()]).toEqual([1, 2]);
    ca.answer('normally');
    await takeOver();
    expect([ca.ids.length, await requests()]).toEqual([1, 0]);
    await expectEachOnce(fqdn, 2);
  });

  test('is stored once if the next attempt receives it as well', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    await dieRenewing();
    ca.answer('with a fault');
    await app.renew();
    ca.answer('normally');
    await moveToRenewal(app, fqdn);
    expect(await app.renew()).toMatchObject({ renewed: 1 });
    await takeOver();
    expect([ca.ids.length - before, await requests()]).toEqual([1, 0]);
    await expectEachOnce(fqdn, 2);
  });

  test.each<[string, string, (fqdn: Fqdn) => Promise<unknown>]>([
    [
      'all CSRs were deleted',
      'or this one deleted',
      () => place.app.request.delete('/csrs?confirm=true').set(place.app.people.ada.auth).expect(200),
    ],
    [
      'the FQDN was deleted',
      'the FQDN was deleted',
      ({ spaceId, id }) =>
        place.app.request.delete(`/spaces/${spaceId}/fqdns/${id}`).set(place.app.people.ada.auth).expect(200),
    ],
    [
      'another CSR was uploaded',
      'another CSR was uploaded',
      async (fqdn) => addCsr(place.app, fqdn, await newCsr(fqdn.fqdn)),
    ],
  ])(
    'and whose process died leaves an entry with its key, where %s',
    async (_, reason, change): Promise<void> => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const before = ca.ids.length;
      await dieRenewing();
      await change(fqdn);
      ca.answer('with a fault');
      await app.renew();
      await takeOver();
      expect(await failuresOf(fqdn)).toMatchObject([
        {
          outcome: 'failure',
          username: 'scheduler',
          details: {
            fqdn: fqdn.fqdn,
            providerId: place.providerId,
            spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            reason: expect.stringContaining(reason),
          },
        },
      ]);
      expect([ca.ids.length - before, await requests()]).toEqual([1, 0]);
    },
  );

  test('leaves nothing behind if the CA rejected it', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    ca.answer('with a fault');
    expect(await app.renew()).toMatchObject({ failed: [{}] });
    expect(await requests()).toBe(0);
    ca.answer('normally');
    expect(await failuresOf(fqdn)).toEqual([]);
  });
});
