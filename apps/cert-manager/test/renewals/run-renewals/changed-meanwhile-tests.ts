import { describe, expect, test } from 'vitest';
import { auditEntries } from '../../support/inventory.js';
import {
  certificatesOf,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  switchRenewal,
} from '../../support/renewals.js';
import { countSignatures, quiet } from './run-facts.js';

/** Tests of what others change while a renewal is under way. */
export function describeChangesMeanwhile(place: RenewalPlace): void {
  describe('what changes while the CA is at work', () => {
    /** Begins a run, and ends it after `change`. */
    async function changeMeanwhile(change: () => PromiseLike<unknown>) {
      const { app, ca } = place;
      ca.answer('when let go');
      const before = countSignatures(place);
      const run = app.renew();
      while (countSignatures(place) === before) await new Promise((resolve) => setImmediate(resolve));
      await change();
      return ca.letGoUntil(run);
    }

    test('the FQDN is deleted: nothing is stored, and the certificate is in the audit log', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
      const report = await changeMeanwhile(() =>
        app.request.delete(path).set(app.people.ada.auth).expect(200),
      );
      expect(report).toEqual(quiet);
      expect((await auditEntries(app, 'certificate.issue')).at(-1)).toMatchObject({
        outcome: 'failure',
        spaceId: fqdn.spaceId,
        details: {
          fqdnId: fqdn.id,
          provider: 'dummy-ca',
          serial: expect.stringMatching(/^[0-9a-f]{2,40}$/),
        },
      });
    });

    test('it is switched off: the certificate is stored, and no further one is planned', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      expect(await changeMeanwhile(() => switchRenewal(app, fqdn, false))).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status }) => status)).toEqual(['completed']);
    });

    test('all CSRs are deleted: the certificate is stored, and no further one is planned', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const remove = () => app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
      expect(await changeMeanwhile(remove)).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status }) => status)).toEqual(['completed']);
    });

    test('it is signed manually: both get the same certificate, and one renewal is planned', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await changeMeanwhile(async () => {
        ca.answer('normally');
        await signWith(place, fqdn);
      });
      const certificates = await certificatesOf(app, fqdn);
      expect(certificates).toHaveLength(2);
      expect((await openEntryOf(app, fqdn)).certificateId).toBe(certificates.at(-1)?.id);
    });

    test('it is signed manually and the renewal fails: it is not tried again', async () => {
      const { app, ca } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await changeMeanwhile(async () => {
        ca.answer('normally');
        await signWith(place, fqdn);
        ca.answer('with a fault');
      });
      const certificates = await certificatesOf(app, fqdn);
      expect(certificates).toHaveLength(2);
      expect(await openEntryOf(app, fqdn)).toMatchObject({
        attempt: 1,
        certificateId: certificates.at(-1)?.id,
      });
    });
  });
}
