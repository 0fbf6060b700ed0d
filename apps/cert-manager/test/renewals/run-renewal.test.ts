import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { grant } from '../support/factories.js';
import { auditEntries, badIds, unknownId } from '../support/inventory.js';
import { entriesOf, openEntryOf, queueOf, renewedFqdn, useRenewing } from '../support/renewals.js';
import { enable } from '../support/signing.js';

describeEachDialect('running a renewal now', (open) => {
  const place = useRenewing(open);
  const run = (id: string, person = place.app.people.ada) =>
    place.app.request.post(`/renewal-queue/${id}/run`).set(person.auth);

  test('makes it due, starts the queue and writes an audit entry', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const planned = await openEntryOf(app, fqdn);
    const now = app.clock.now().toISOString();
    expect(planned.scheduledAt > now).toBe(true);
    const { body } = await run(planned.id).expect(200);
    expect(body).toEqual({ ...planned, scheduledAt: now });
    expect((await auditEntries(app, 'queue.run')).at(-1)).toMatchObject({
      resourceId: planned.id,
      spaceId: fqdn.spaceId,
      details: { fqdnId: fqdn.id, before: planned.scheduledAt },
    });
    const entryNow = async () => (await entriesOf(app, fqdn)).find(({ id }) => id === planned.id)?.status;
    while ((await entryNow()) !== 'completed');

    const { body: problem } = await run(planned.id).expect(409);
    expect(problem.code).toBe('not_pending');
  });

  test('says what it waits for if its provider cannot be called', async () => {
    const { app, providerId } = place;
    const fqdn = await renewedFqdn(place);
    const { id } = await openEntryOf(app, fqdn);
    await enable(app, { id: providerId }, false).expect(200);
    const { body } = await run(id).expect(200);
    expect(body).toMatchObject({ status: 'pending', reason: expect.stringContaining('disabled') });
    await enable(app, { id: providerId }).expect(200);
  });

  test('needs READ_WRITE on the space', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const { id } = await openEntryOf(app, fqdn);
    await run(id, app.people.cleo).expect(404);
    await grant(app, app.people.ben, 'READ', [fqdn.spaceId]);
    await run(id, app.people.ben).expect(403);
    for (const bad of [unknownId, ...badIds]) await run(bad).expect(404);
  });

  test('is listed with its names if they are requested', async () => {
    const { app, providerId } = place;
    const fqdn = await renewedFqdn(place, 'names.example.org');
    const [plain] = await queueOf(app, { spaceId: fqdn.spaceId });
    const [named] = await queueOf(app, { spaceId: fqdn.spaceId, include: 'fqdn', limit: '10' });
    expect(named).toEqual({
      ...plain,
      fqdn: 'names.example.org',
      spaceName: 'space',
      providerId,
      level: 'FULL_ACCESS',
    });
    expect(plain).not.toHaveProperty('fqdn');
    await app.request.get('/renewal-queue?include=all').set(app.people.ada.auth).expect(400);
  });
});
