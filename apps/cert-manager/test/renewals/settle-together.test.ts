import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deleteFqdnRow } from '../../src/fqdns/fqdn-changes.repository.js';
import type { RenewalStep } from '../../src/renewals/queue/renew-certificate.service.js';
import { findOpenRenewal, updateRenewal } from '../../src/renewals/renewals.repository.js';
import { auditEntries } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  storedRenewals,
} from '../support/renewals.js';

const day = 86_400_000;

describeEachDialect('renewals whose certificates arrive at the same time', (open) => {
  let place: RenewalPlace;
  let atStep: (step: RenewalStep) => Promise<void> = async () => undefined;
  beforeAll(async () => {
    place = await startRenewing(open, {
      renewals: { concurrency: 8, atStep: (step) => atStep(step) },
    });
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  async function dueFqdns(count: number): Promise<Fqdn[]> {
    const fqdns: Fqdn[] = [];
    while (fqdns.length < count) fqdns.push(await renewedFqdn(place));
    place.app.clock.advance(25 * day);
    return fqdns;
  }

  /** Lets the answers wait for each other; what happens before they go on is done once. */
  function meetAfterAnswer(count: number, meanwhile: () => Promise<void>) {
    let met = 0;
    let goOn = (): void => undefined;
    const all = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    atStep = async (step) => {
      if (step !== 'answered') return;
      met += 1;
      if (met === count) await meanwhile().then(goOn);
      await all;
    };
  }

  test('are stored with the audit entries and plans of each', async () => {
    const { app } = place;
    const fqdns = await dueFqdns(6);
    meetAfterAnswer(6, async () => undefined);
    expect(await app.renew()).toMatchObject({ renewed: 6, failed: [], broken: 0 });
    const audits = await auditEntries(app, 'certificate.renew');
    for (const fqdn of fqdns) {
      const [old, renewed] = await certificatesOf(app, fqdn);
      const entries = await entriesOf(app, fqdn);
      expect(entries.map(({ status }) => status)).toEqual(['completed', 'pending']);
      const planned = await openEntryOf(app, fqdn);
      expect(planned).toMatchObject({ attempt: 1, certificateId: renewed?.id });
      const act = audits.find(({ details }) => details['fqdnId'] === fqdn.id);
      expect(act).toMatchObject({ resourceId: renewed?.id, spaceId: fqdn.spaceId, outcome: 'success' });
      expect(act?.details).toMatchObject({ previous: old?.id, entryId: entries[0]?.id, fqdn: fqdn.fqdn });
    }
  });

  test('are planned again with the reason if a policy starts to forbid one of them', async () => {
    const { app } = place;
    const [forbidden, ...others] = await dueFqdns(3);
    if (forbidden === undefined) throw new Error('there are three');
    meetAfterAnswer(3, async () => {
      const allowedNames = {
        names: [],
        suffixes: ['allowed.test'],
        wildcards: false,
        cidrs: [],
        beyondFqdn: false,
      };
      await app.request
        .put(`/spaces/${forbidden.spaceId}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ allowedNames, confirmed: true })
        .expect(200);
      await app.review();
    });
    expect(await app.renew()).toMatchObject({ renewed: 3, failed: [], broken: 0 });
    const reason = expect.stringContaining('is not allowed');
    expect(await openEntryOf(app, forbidden)).toMatchObject({ attempt: 1, reason });
    for (const fqdn of others) expect((await openEntryOf(app, fqdn)).reason).toBeUndefined();
  });

  test('are stored although the FQDN of one is deleted and another worker has the entry of another', async () => {
    const { app } = place;
    const fqdns = await dueFqdns(5);
    const [gone, taken, ...others] = fqdns;
    if (gone === undefined || taken === undefined) throw new Error('there are five');
    meetAfterAnswer(5, () =>
      app.database.transaction(async (tx) => {
        await deleteFqdnRow(tx, gone.spaceId, gone.id);
        const theirs = await findOpenRenewal(tx, taken.id);
        if (theirs !== undefined) await updateRenewal(tx, theirs, { attempt: 2 });
      }),
    );
    expect(await app.renew()).toMatchObject({ renewed: 3, failed: [], broken: 0 });
    for (const fqdn of others) expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    expect(await certificatesOf(app, taken)).toHaveLength(1);
    const stored = await storedRenewals(app.database, taken.id);
    expect(stored).toMatchObject([{ status: 'processing', attempt: 2 }]);
  });
});
