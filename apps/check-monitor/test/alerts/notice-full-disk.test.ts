import { DatabaseUnavailable, executeSql } from '@certloop/db';
import { describeEachDialect, fillDiskOf } from '@certloop/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFullDiskNotice } from '../../src/alerts/notice-full-disk.service.js';
import { openAlertStage } from '../support/alerts.js';
import { named } from '../support/alerts-under-way.js';

const second = 1000;
const title = 'The disk of the monitor is full: alerts are held';

describeEachDialect('a full disk', (open) => {
  const stage = openAlertStage(open, { digestPerMinute: 0 });
  let makeRoom: (() => Promise<void>) | undefined;
  let notice: () => Promise<void>;

  const fill = async () => {
    makeRoom = await fillDiskOf(stage.app.database);
  };
  const clear = async () => {
    await makeRoom?.();
    makeRoom = undefined;
  };
  /** Moves the clock, and runs the job that sends the notice. */
  const after = async (seconds: number) => {
    stage.app.clock.advance(seconds * second);
    await notice();
  };
  /** A job begins, which is refused while the disk is full. */
  const begin = async () => {
    const body = 'x'.repeat(9_000);
    const { status } = await stage.app.http
      .post(`/ping/${stage.ada.keys.pingKey}/large?create=1`)
      .type('text/plain')
      .send(body);
    return status;
  };
  const mails = () => stage.mailbox.mails.filter(({ subject }) => subject?.includes(title) === true);
  const pushes = () => named(stage.target).filter((body) => body.includes(title));

  beforeEach(async () => {
    await stage.channel('gotify', { url: stage.target.url, token: 'secret' });
    // one of its own for each test, as it remembers what it sent
    notice = createFullDiskNotice({
      ...stage.app.accounts,
      db: stage.app.database,
      logger: stage.app.logger,
    });
    await notice();
  });
  afterEach(async () => {
    await clear();
    // the owner of each project gets a mail
    await stage.app.database.transaction((tx) => executeSql(tx, 'delete from projects'));
  });

  test('sends one notice from memory to the owner and to channels that people read, and holds alerts', async () => {
    const { app } = stage;
    const hook = await stage.webhook();
    await notice();
    const check = await stage.ada.check({ name: 'Backup', timeout: 60, grace: 60, channels: hook.uuid });
    await stage.ada.ping(check);
    await after(61);
    await fill();
    expect(await begin()).toBe(503);
    await after(0);
    await after(9);
    expect(mails()).toHaveLength(0);
    stage.app.clock.advance(120 * second);
    // a page of SQLite may have room for so little
    await app.tick().catch((error: unknown) => expect(error).toBeInstanceOf(DatabaseUnavailable));
    await after(0);
    for (let n = 0; n < 3; n += 1) await after(3600);
    expect([mails().length, pushes().length]).toEqual([1, 1]);
    expect(stage.target.requests).toHaveLength(1);
    await clear();
    expect(await begin()).toBe(201);
    await app.tick();
    await app.deliver();
    expect(named(stage.target).filter((body) => body.startsWith('Backup'))).toHaveLength(1);
    expect([mails().length, pushes().length]).toEqual([1, 1]);
  });

  test('sends nothing if there is room within ten seconds', async () => {
    await fill();
    expect(await begin()).toBe(503);
    await after(0);
    await after(9);
    await clear();
    await after(1);
    await after(60);
    expect([mails().length, pushes().length]).toEqual([0, 0]);
  });

  test('sends a second notice only an hour after the first', async () => {
    const outage = async () => {
      await fill();
      expect(await begin()).toBe(503);
      await after(0);
      await after(10);
      await clear();
      await after(1);
    };
    await outage();
    await outage();
    expect(mails()).toHaveLength(1);
    await after(3600);
    await outage();
    expect(mails()).toHaveLength(2);
  });

  test('tries again a minute later if the notice reached no one', async () => {
    stage.answer(500);
    stage.mailbox.refuse(421, '4.3.0 away');
    await fill();
    expect(await begin()).toBe(503);
    await after(0);
    await after(10);
    stage.answer(200);
    stage.mailbox.refuse(undefined);
    await after(59);
    expect(mails()).toHaveLength(0);
    await after(1);
    expect(mails()).toHaveLength(1);
    await clear();
  });
});
