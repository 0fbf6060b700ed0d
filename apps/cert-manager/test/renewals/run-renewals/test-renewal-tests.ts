import type { Fqdn } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { type RenewalStep, renewalSteps } from '../../../src/renewals/queue/renew-certificate.service.js';
import {
  addTestRenewal,
  certificatesOf,
  entriesOf,
  issuedFqdn,
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
} from '../../support/renewals.js';
import { countSignatures, minute, quiet } from './run-facts.js';

/** Tests of test renewals; `steps` are those that the runs went through. */
export function describeTestRenewals(place: RenewalPlace, steps: RenewalStep[]): void {
  describe('a test', () => {
    const withCertificate = async (): Promise<Fqdn> => {
      const fqdn = await issuedFqdn(place);
      return fqdn;
    };

    test('is a real renewal, even if renewal is switched off', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      expect((await entriesOf(app, fqdn)).map(({ status, isTest }) => [status, isTest])).toEqual([
        ['completed', true],
      ]);
    });

    test('runs at its minute', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn, 5);
      app.clock.advance(5 * minute - 1);
      expect(await app.renew()).toEqual(quiet);
      app.clock.advance(1);
      expect(await app.renew()).toEqual({ ...quiet, renewed: 1 });
    });

    test('that fails is not retried', async () => {
      const { app, ca } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      ca.answer('with a fault');
      expect((await app.renew()).failed).toHaveLength(1);
      expect(await entriesOf(app, fqdn)).toMatchObject([
        { status: 'failed', reason: 'the CA failed: signing failed' },
      ]);
    });

    test('without a CSR fails with that reason, and calls no CA', async () => {
      const { app } = place;
      const fqdn = await withCertificate();
      await addTestRenewal(app, fqdn);
      await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
      const asked = countSignatures(place);
      await app.renew();
      expect(countSignatures(place)).toBe(asked);
      expect(await entriesOf(app, fqdn)).toMatchObject([
        { status: 'failed', reason: 'no CSR is stored for this FQDN' },
      ]);
    });

    test('waits while the FQDN is being renewed, and then runs', async () => {
      const { app } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      await addTestRenewal(app, fqdn);
      await addTestRenewal(app, fqdn);
      steps.length = 0;
      expect(await app.renew()).toEqual({ ...quiet, renewed: 3 });
      expect(steps).toEqual([1, 2, 3].flatMap(() => renewalSteps));
      expect(await certificatesOf(app, fqdn)).toHaveLength(4);
    });
  });
}
