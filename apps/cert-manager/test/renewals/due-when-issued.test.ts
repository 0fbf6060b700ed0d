import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import {
  certificatesOf,
  clearInventory,
  explanationOf,
  openEntryOf,
  renewedFqdn,
  useRenewing,
} from '../support/renewals.js';

const hour = 3_600_000;

describeEachDialect('a CA whose certificates are due as soon as they are issued', (open) => {
  const place = useRenewing(open);
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });

  test('is called at once for the first renewal, and then once an hour', async () => {
    const { app, ca } = place;
    ca.answer('with a certificate that is due');
    const fqdn = await renewedFqdn(place);
    const begin = app.clock.now();
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(begin.toISOString());
    for (let count = 1; count <= 3; count += 1) {
      expect(await app.renew()).toMatchObject({ renewed: 1, isDone: true });
      const { scheduledAt } = await openEntryOf(app, fqdn);
      expect(scheduledAt).toBe(new Date(begin.getTime() + count * hour).toISOString());
      app.clock.set(new Date(scheduledAt));
      app.clock.advance(-1);
      expect(await app.renew()).toMatchObject({ renewed: 0 });
      app.clock.advance(1);
    }
    expect(await certificatesOf(app, fqdn)).toHaveLength(4);
    const explained = await explanationOf(app, fqdn);
    expect(explained).toMatchObject({ outlook: 'due', plan: { rule: 'two_thirds' } });
    expect(explained.plan?.renewAt).toBe(app.clock.now().toISOString());
  });

  test('is called less and less often from the fourth renewal on', async () => {
    const { app, ca } = place;
    ca.answer('with a certificate that is due');
    const fqdn = await renewedFqdn(place);
    const rests: number[] = [];
    for (let count = 1; count <= 6; count += 1) {
      expect(await app.renew()).toMatchObject({ renewed: 1 });
      const { scheduledAt } = await openEntryOf(app, fqdn);
      rests.push((Date.parse(scheduledAt) - app.clock.now().getTime()) / hour);
      app.clock.set(new Date(scheduledAt));
    }
    expect(rests).toEqual([1, 1, 1, 2, 4, 8]);
  });

  test('is named in the explanation', async () => {
    const { app, ca } = place;
    ca.answer('with a certificate that is due');
    const fqdn = await renewedFqdn(place);
    await app.renew();
    expect((await explanationOf(app, fqdn)).message).toMatch(
      /, but not directly after the previous renewal$/,
    );
  });
});
