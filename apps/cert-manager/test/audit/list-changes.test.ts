import type { Changes } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace } from '../support/inventory.js';

describeEachDialect('following changes', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  const follow = async (since?: number, person = app.people.ada): Promise<Changes> => {
    const sent = app.request.get('/changes').query(since === undefined ? {} : { since: String(since) });
    return (await sent.set(person.auth).expect(200)).body as Changes;
  };

  test('returns what changed since a position, and continues from there', async () => {
    const { seq, changes } = await follow();
    expect(changes).toEqual([]);
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId);
    const csr = await addCsr(app, fqdn);
    const next = await follow(seq);
    expect(next.changes).toEqual([
      { id: expect.any(Number), type: 'space', resourceId: spaceId, spaceId },
      { id: expect.any(Number), type: 'fqdn', resourceId: fqdn.id, spaceId, fqdnId: fqdn.id },
      { id: expect.any(Number), type: 'csr', resourceId: csr.id, spaceId, fqdnId: fqdn.id },
    ]);
    // entries may still come to light for a while; later none can
    app.clock.advance(11_000);
    const last = await follow(next.seq);
    expect(last.seq).toBe(next.changes.at(-1)?.id);
    expect(await follow(last.seq)).toEqual({ seq: last.seq, changes: [] });
  });

  test('returns nothing of spaces that the caller cannot read', async () => {
    const { seq } = await follow();
    const { id: open } = await addSpace(app);
    const { id: closed } = await addSpace(app);
    await grant(app, app.people.ben, 'READ', [open]);
    const fqdn = await addFqdn(app, open);
    await addFqdn(app, closed);
    const { changes } = await follow(seq, app.people.ben);
    expect(changes.map(({ resourceId }) => resourceId)).toEqual([open, fqdn.id]);
    expect((await follow(seq, app.people.cleo)).changes).toEqual([]);
  });

  test('requests a full reload after the log was cleared, and for a position of another log', async () => {
    const { seq } = await follow();
    expect(await follow(seq + 1_000)).toEqual({ seq, changes: [], reset: true });
    await addSpace(app);
    await app.request.delete('/audit-logs').set(app.people.ada.auth).expect(200);
    expect(await follow(seq)).toMatchObject({ changes: [], reset: true });
    const { seq: now } = await follow();
    await addSpace(app);
    expect((await follow(now)).changes).toMatchObject([{ type: 'space' }]);
    await app.request.get('/changes?since=x').set(app.people.ada.auth).expect(400);
  });
});
