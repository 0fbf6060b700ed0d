import { describeEachDialect, type TestDatabase } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { type RenewalStep, renewalSteps } from '../src/renewals/renew-certificate.service.js';
import { renewUntilDeath } from './support/dying-process.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
} from './support/renewals.js';

// it starts processes, and much else may run on the same machine
jest.setTimeout(60_000);

const leaseMs = 120_000;

// what the CA signs in all, and the number of the try that succeeds
const expected: Readonly<Record<RenewalStep, readonly [number, number]>> = {
  claimed: [1, 2],
  answered: [2, 2],
  settled: [1, 1],
};

describeEachDialect('a process that is killed while it renews', (open) => {
  let place: RenewalPlace;
  let databaseUrl: string;
  beforeAll(async () => {
    let made: TestDatabase | undefined;
    const remember = async (...given: Parameters<typeof open>) => {
      made = await open(...given);
      return made;
    };
    place = await startRenewing(remember, { renewals: { leaseMs } });
    databaseUrl = made?.url ?? '';
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const signatures = () => place.ca.paths.filter((path) => path === '/csr').length;

  test.each(renewalSteps)('at %s loses no certificate, and stores none twice', async (step) => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = signatures();
    const now = app.clock.now();
    expect(await renewUntilDeath({ databaseUrl, caUrl: ca.url, now, step })).toBe('SIGKILL');
    expect(await app.renew()).toMatchObject({ renewed: 0, lapsed: 0 });
    app.clock.advance(leaseMs);
    await app.renew();

    const [signed, attempt] = expected[step];
    expect(signatures() - before).toBe(signed);
    const certificates = await certificatesOf(app, fqdn);
    expect(certificates).toHaveLength(2);
    const entries = await entriesOf(app, fqdn);
    expect(entries.map((entry) => [entry.status, entry.attempt, entry.certificateId])).toEqual([
      ['completed', attempt, certificates[0]?.id],
      ['pending', 1, certificates[1]?.id],
    ]);
  });
});
