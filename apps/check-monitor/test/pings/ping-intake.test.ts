import { randomUUID } from 'node:crypto';
import { type Database, DatabaseUnavailable } from '@certloop/db';
import { expect, test } from 'vitest';
import type { IncomingPing } from '../../src/pings/incoming-ping.js';
import { intakeOf, pingAt, pingTo } from '../support/intake.js';
import { describeMonitor } from '../support/suite.js';

describeMonitor('pings that arrive together', (stage) => {
  test('a rejected ping does not affect the others', async () => {
    const made = await stage.ada.check();
    const intake = intakeOf(stage);
    const uuids = [made.uuid, randomUUID(), made.uuid];
    const outcomes = await Promise.allSettled(uuids.map((uuid) => intake.receive(pingTo(uuid))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body.n_pings).toBe(2);
  });

  test('a ping that breaks the transaction does not affect the others', async () => {
    const made = await stage.ada.check();
    const intake = intakeOf(stage);
    const broken: IncomingPing = {
      ...pingTo(made.uuid),
      get userAgent(): string {
        throw new Error('broken');
      },
    };
    const sent = [pingTo(made.uuid), broken, pingTo(made.uuid)];
    const outcomes = await Promise.allSettled(sent.map((ping) => intake.receive(ping)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const { pings } = (await stage.ada.get(`/checks/${made.uuid}/pings/`)).body;
    expect(pings.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
  });

  test('concurrent changes of a check are respected', async () => {
    const made = await stage.ada.check({ timeout: 3600 });
    const intake = intakeOf(stage);
    await intake.receive(pingTo(made.uuid));
    await stage.ada.post(`/checks/${made.uuid}`, { methods: 'POST', timeout: 60 }).expect(200);
    await Promise.all([intake.receive(pingTo(made.uuid)), stage.ada.ping(made)]);
    const { pings } = (await stage.ada.get(`/checks/${made.uuid}/pings/`)).body;
    expect(pings.map(({ type }: { type: string }) => type)).toEqual(['ign', 'ign', 'success']);
    await stage.ada.post(`/checks/${made.uuid}/pause`).expect(200);
    await stage.ada.post(`/checks/${made.uuid}`, { methods: '' }).expect(200);
    await intake.receive(pingTo(made.uuid));
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body).toMatchObject({ status: 'up', n_pings: 4 });
  });

  test('a check that is being deleted accepts no ping', async () => {
    const made = await stage.ada.check();
    const intake = intakeOf(stage);
    await intake.receive(pingTo(made.uuid));
    await stage.ada.delete(`/checks/${made.uuid}`).expect(200);
    await expect(intake.receive(pingTo(made.uuid))).rejects.toThrow('not found');
  });

  test('a check that is deleted after its slug was resolved is created again if create=1', async () => {
    const { pingKey } = stage.ada.keys;
    const deletingAfterLookUp: Partial<Database> = {
      read: async (work) => {
        const found = await stage.app.database.read(work);
        for (const { uuid } of (await stage.ada.get('/checks/?slug=gone')).body.checks)
          await stage.ada.delete(`/checks/${uuid}`).expect(200);
        return found;
      },
    };
    for (const create of [true, false]) {
      await stage.ada.check({ slug: 'gone' });
      const received = intakeOf(stage, deletingAfterLookUp).receive(
        pingAt({ kind: 'slug', pingKey, slug: 'gone', create }),
      );
      if (create) expect(await received).toEqual({ isNew: true });
      else await expect(received).rejects.toThrow('not found');
      for (const { uuid } of (await stage.ada.get('/checks/?slug=gone')).body.checks)
        await stage.ada.delete(`/checks/${uuid}`).expect(200);
    }
  });

  test('pings do not wait one by one for an unavailable database', async () => {
    const { uuid } = await stage.ada.check();
    let waits = 0;
    const wait = () => {
      waits += 1;
      return Promise.reject(new DatabaseUnavailable('away'));
    };
    const autocommit = stage.app.database.autocommit && { run: wait };
    const intake = intakeOf(stage, { autocommit, read: wait, transaction: wait, ping: wait });
    const sent = Array.from({ length: 50 }, () => intake.receive(pingTo(uuid)));
    const outcomes = await Promise.allSettled(sent);
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
    // the first that came, and those that queued in the meantime
    expect(waits).toBeLessThanOrEqual(10);
  });

  test('several processes number the pings of their checks together', async () => {
    const carl = await stage.app.newProject({ pingLimit: 1000 });
    const made = [await carl.check(), await carl.check(), await carl.check()];
    const others = [intakeOf(stage), intakeOf(stage)];
    const sent = Array.from({ length: 300 }, (_, place) => {
      const uuid = made[place % made.length]?.uuid ?? '';
      return others[place % others.length]?.receive(pingTo(uuid));
    });
    await Promise.all(sent);
    for (const { uuid } of made) {
      const { pings } = (await carl.get(`/checks/${uuid}/pings/`)).body;
      const numbers = pings.map(({ n }: { n: number }) => n);
      expect(numbers).toEqual(Array.from({ length: 100 }, (_, place) => 100 - place));
      expect((await carl.get(`/checks/${uuid}`)).body.n_pings).toBe(100);
    }
  });
});
