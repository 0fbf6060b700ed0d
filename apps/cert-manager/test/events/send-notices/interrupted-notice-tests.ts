import { randomUUID } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { claimMailTurn, updateMailTurn } from '../../../src/events/mail/mail-turns.repository.js';
import { addToMail, claimWebhooks } from '../../../src/events/notices.repository.js';
import { startAppOn } from '../../support/app.js';
import { hour, minute, type NoticePlace } from './notice-place.js';

/** Tests of lost answers, of processes that end, and of two at once. */
export function testInterruptedNotices(place: NoticePlace): void {
  const startBeside = () =>
    startAppOn(place.app.database, { environment: place.environment, beside: place.app });

  test('are sent again with the same ids if the response is lost', async () => {
    place.mail.failing = 'cut';
    place.hook.failing = { status: 0 };
    await place.record('www');
    await place.app.sendNotices();
    place.mail.failing = undefined;
    place.hook.failing = undefined;
    place.app.clock.advance(hour);
    await place.app.sendNotices();
    expect(place.mail.mails).toHaveLength(2);
    expect(new Set(place.mail.mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(place.hook.hooks).toHaveLength(2);
    expect(new Set(place.hook.hooks.map(({ id }) => id)).size).toBe(1);
    expect(await place.pending()).toBe(0);
  });

  test('claimed by a process that died are sent after its lease expires', async () => {
    await place.record('www');
    const now = place.app.clock.now();
    const until = new Date(now.getTime() + minute);
    const token = randomUUID();
    await place.app.database.transaction(async (tx) => {
      expect(await claimWebhooks(tx, { now, token, until, limit: 9 })).toHaveLength(1);
      await claimMailTurn(tx, 'mail', { now, token, until });
      expect(await addToMail(tx, { destination: 'mail', batch: token }, 9)).toBe(1);
    });
    await place.app.sendNotices();
    expect([place.mail.mails, place.hook.hooks]).toEqual([[], []]);
    place.app.clock.advance(minute);
    await place.app.sendNotices();
    expect(place.hook.hooks).toHaveLength(1);
    expect(place.mail.mails.map(({ messageId }) => messageId)).toEqual([`<${token}@certloop>`]);
    expect(await place.pending()).toBe(0);
  });

  test('are not mailed again if the process died after the server had accepted the mail', async () => {
    await place.record('www', { to: ['mail'] });
    const now = place.app.clock.now();
    const token = randomUUID();
    await place.app.database.transaction(async (tx) => {
      await claimMailTurn(tx, 'mail', { now, token, until: new Date(now.getTime() + minute) });
      await addToMail(tx, { destination: 'mail', batch: token }, 9);
      await updateMailTurn(tx, { id: 'notices', leaseToken: token }, { isSent: true });
    });
    place.app.clock.advance(minute);
    await place.app.sendNotices();
    expect(place.mail.mails).toEqual([]);
    expect(await place.pending()).toBe(0);
  });

  test('being sent do not delay a shutdown, and are sent by the next process', async () => {
    place.hook.failing = { status: -1 };
    const stopping = await startBeside();
    await place.record('www', { to: ['webhook'] });
    const sending = stopping.sendNotices();
    while (place.hook.requests === 0) await nextRound();
    await Promise.all([stopping.close(), sending]);
    place.hook.failing = undefined;
    // at once: no lease has to lapse, and a shutdown that waits for the answer would have counted an attempt
    await place.app.sendNotices();
    expect(place.subjects()).toEqual(['www']);
    expect(place.logged('notices.webhook_sent').at(-1)).toMatchObject({ attempts: 1 });
  });

  test('whose mail is being sent during a shutdown are mailed by the next process at once', async () => {
    place.mail.failing = 'silent';
    const stopping = await startBeside();
    await place.record('www', { to: ['mail'] });
    const sending = stopping.sendNotices();
    while (place.mail.mails.length === 0) await nextRound();
    await Promise.all([stopping.close(), sending]);
    place.mail.failing = undefined;
    await place.app.sendNotices();
    expect(place.mail.mails).toHaveLength(2);
    expect(new Set(place.mail.mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await place.pending()).toBe(0);
  });

  test('claimed during a shutdown are sent by the next process only', async () => {
    const stopping = await startBeside();
    await stopping.close();
    await place.record('www');
    await stopping.sendNotices();
    await place.app.sendNotices();
    expect(place.subjects()).toEqual(['www']);
    expect(place.mail.mails).toHaveLength(1);
    expect(await place.pending()).toBe(0);
  });

  test('are sent once by two processes', async () => {
    const all = Array.from({ length: 60 }, (_, index) => `subject-${index}`);
    for (const subject of all) await place.record(subject);
    await Promise.all([
      place.app.sendNotices(),
      place.other.sendNotices(),
      place.app.sendNotices(),
      place.other.sendNotices(),
    ]);
    expect(place.subjects().sort()).toEqual([...all].sort());
    expect(place.mail.mails).toHaveLength(1);
  });
}
