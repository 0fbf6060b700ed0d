import { expect, test } from 'vitest';
import { startAppOn } from '../../support/app.js';
import { hour, minute, type NoticePlace, second } from './notice-place.js';

/** Tests of receivers that are away or refuse. */
export function testRefusedNotices(place: NoticePlace): void {
  test('wait while the receivers are unavailable, and are sent afterwards in order', async () => {
    place.mail.failing = 'refused';
    place.hook.failing = { status: 503 };
    for (const subject of ['a', 'b', 'a']) {
      await place.record(subject);
      await place.app.sendNotices();
      place.app.clock.advance(hour);
    }
    expect([place.mail.mails, place.hook.hooks]).toEqual([[], []]);
    expect(await place.pending()).toBe(6);
    expect(place.logged('notices.mail_failed').at(-1)).toMatchObject({
      reason: expect.stringContaining('451'),
    });
    expect(place.logged('notices.webhook_failed').at(-1)).toMatchObject({
      reason: 'the receiver answered 503',
    });

    place.mail.failing = undefined;
    place.hook.failing = undefined;
    place.app.clock.advance(5 * hour);
    await place.app.sendNotices();
    const times = place.hook.hooks
      .filter(({ event }) => event.subject === 'a')
      .map(({ event }) => event['time']);
    expect(times).toEqual([...times].sort());
    expect([times.length, place.hook.hooks.length]).toEqual([2, 3]);
    expect(place.mail.mails.map(({ subject }) => subject)).toEqual(['[CertLoop] 3 events']);
    expect(await place.pending()).toBe(0);
  });

  test('of other subjects are sent while one is rejected, and later ones of that subject wait', async () => {
    place.hook.failing = { status: 400, subject: 'bad' };
    for (const subject of ['bad', 'good', 'bad', 'fine']) await place.record(subject, { to: ['webhook'] });
    await place.app.sendNotices();
    expect(place.subjects().sort()).toEqual(['fine', 'good']);
    expect(place.hook.requests).toBe(3);
    place.hook.failing = undefined;
    place.app.clock.advance(minute);
    await place.app.sendNotices();
    expect(place.subjects().slice(2)).toEqual(['bad', 'bad']);
  });

  test('are abandoned after 8 attempts in 24 hours, and the next one of the subject follows', async () => {
    place.hook.failing = { status: 400, subject: 'bad' };
    await place.record('bad', { to: ['webhook'] });
    await place.record('bad', { to: ['webhook'] });
    const begin = place.app.clock.now().getTime();
    const isGivenUp = () => place.logged('notices.given_up').length > 0;
    for (let count = 0; count < 20 && !isGivenUp(); count += 1) {
      // another one that is taken, so that the receiver does not count as away
      await place.record('good', { to: ['webhook'] });
      await place.app.sendNotices();
      if (!isGivenUp()) place.app.clock.set(await place.dueOf('bad'));
    }
    const hours = (place.app.clock.now().getTime() - begin) / hour;
    expect([hours >= 24, hours < 24.3]).toEqual([true, true]);
    const refused = { subject: 'bad', attempts: 8, reason: 'the receiver answered 400' };
    expect(place.logged('notices.given_up')).toMatchObject([refused]);
    place.hook.failing = undefined;
    place.app.clock.advance(minute);
    await place.app.sendNotices();
    expect(place.subjects().filter((subject) => subject === 'bad')).toHaveLength(1);
  });

  test('are not sent by any process before the Retry-After of the receiver', async () => {
    place.hook.failing = { status: 429, retryAfter: '600' };
    await place.record('www', { to: ['webhook'] });
    await place.record('shop', { to: ['webhook'] });
    await place.app.sendNotices();
    expect(place.hook.requests).toBe(2);
    place.hook.failing = undefined;
    place.app.clock.advance(600 * second - 1);
    await place.record('late', { to: ['webhook'] });
    await place.app.sendNotices();
    await place.other.sendNotices();
    expect(place.hook.requests).toBe(2);
    place.app.clock.advance(1);
    await place.other.sendNotices();
    expect(place.subjects().sort()).toEqual(['late', 'shop', 'www']);
  });

  test('wait at most an hour for a Retry-After of one day, and not for a limit on another event', async () => {
    place.hook.failing = { status: 503, retryAfter: '86400' };
    await place.record('www', { to: ['webhook'] });
    await place.app.sendNotices();
    place.hook.failing = { status: 409, subject: 'bad', retryAfter: '1800' };
    place.app.clock.advance(hour);
    await place.record('bad', { to: ['webhook'] });
    await place.app.sendNotices();
    expect(place.subjects()).toEqual(['www']);
    place.hook.failing = undefined;
    await place.record('good', { to: ['webhook'] });
    place.app.clock.advance(30 * minute - 1);
    await place.app.sendNotices();
    expect(place.subjects()).toEqual(['www', 'good']);
    place.app.clock.advance(1);
    await place.app.sendNotices();
    expect(place.subjects()).toEqual(['www', 'good', 'bad']);
  });

  test('of a webhook that has failed for five days wait until a restart, and one mail says so', async () => {
    place.hook.failing = { status: 500 };
    await place.record('www', { to: ['webhook'] });
    const begin = place.app.clock.now().getTime();
    const isOff = async () => ((await place.receiver())?.disabledAt ?? null) !== null;
    while (!(await isOff()) && place.app.clock.now().getTime() - begin < 144 * hour) {
      await Promise.all([place.app.sendNotices(), place.other.sendNotices()]);
      place.app.clock.advance(6 * hour);
      if ((place.app.clock.now().getTime() - begin) % (24 * hour) === 0)
        await place.record('daily', { to: ['webhook'] });
    }
    const days = (place.app.clock.now().getTime() - begin) / hour / 24;
    expect([days >= 5, days <= 5.5]).toEqual([true, true]);
    await place.app.sendNotices();
    expect(place.mail.mails.map(({ subject }) => subject)).toEqual([
      '[CertLoop] The webhook is switched off',
    ]);
    expect(place.mail.mails[0]?.text).toContain('the receiver answered 500');
    expect(place.mail.mails[0]?.text).toContain('then restart cert-manager');

    place.hook.failing = undefined;
    place.hook.requests = 0;
    await place.record('later', { to: ['webhook'] });
    place.app.clock.advance(24 * hour);
    await Promise.all([place.app.sendNotices(), place.other.sendNotices()]);
    expect(place.hook.requests).toBe(0);
    expect(await place.noticeSamples()).toContain('cert_manager_webhook_disabled 1');
    const restarted = await startAppOn(place.app.database, {
      environment: place.environment,
      beside: place.app,
    });
    await restarted.sendNotices();
    await restarted.close();
    expect(new Set(place.subjects())).toEqual(new Set(['daily', 'later']));
    expect(place.mail.mails).toHaveLength(1);
  });

  test('restart the five days after a success', async () => {
    const failing = { status: 500 };
    for (const status of [failing, undefined, failing, failing]) {
      place.hook.failing = status;
      await place.record('www', { to: ['webhook'] });
      place.app.clock.advance(72 * hour);
      await place.app.sendNotices();
    }
    // three days of failures since the success
    expect(await place.receiver()).toMatchObject({ disabledAt: null, failures: 2 });
  });
}
