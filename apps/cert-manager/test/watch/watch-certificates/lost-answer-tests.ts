import { expect, test } from 'vitest';
import { startAppOn } from '../../support/app.js';
import {
  certificatesOf,
  clearInventory,
  moveToRenewal,
  renewedFqdn,
  signWith,
} from '../../support/renewals.js';
import { day, minute, type WatchStage } from './watch-stage.js';

/** Tests of a monitor that is away, refuses, or whose answers are lost. */
export function testLostAnswers(stage: WatchStage): void {
  test('sends pings that the monitor did not accept later, in order, with their time', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.monitor.failing = { path: /./, status: 503 };
    await moveToRenewal(stage.app, fqdn);
    const failedAt = stage.app.clock.now().toISOString();
    stage.place.ca.answer('with a refusal');
    await stage.app.renew();
    await stage.app.watch();
    stage.place.ca.answer('normally');
    await moveToRenewal(stage.app, fqdn);
    await stage.app.renew();
    await stage.app.watch();
    expect(await certificatesOf(stage.app, fqdn)).toHaveLength(2);
    expect(stage.signals()).toEqual(['success']);
    stage.monitor.failing = undefined;
    stage.app.clock.advance(10 * minute);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail', 'success']);
    expect(stage.monitor.check().pings[1]?.body).toContain(`(of ${failedAt}, sent late)`);
    expect(stage.events().filter((event) => String(event).startsWith('watch.monitor'))).toEqual([
      'watch.monitor_away',
      'watch.monitor_back',
    ]);
  });

  test('calls an unavailable monitor less and less often', async () => {
    await renewedFqdn(stage.place);
    await renewedFqdn(stage.place, 'other.example.org');
    stage.monitor.failing = { path: /./, status: 500 };
    for (let count = 0; count < 60; count += 1) {
      await stage.app.watch();
      stage.app.clock.advance(minute);
    }
    // ten seconds, doubled to five minutes; two checks each time at most
    expect(stage.monitor.asked.length).toBeLessThan(60);
    stage.monitor.failing = undefined;
    stage.app.clock.advance(60 * minute);
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(2);
  });

  test('a lost response causes no second check, and no third ping', async () => {
    await renewedFqdn(stage.place);
    stage.monitor.losing = /^POST \/checks\/$/;
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(1);
    stage.monitor.losing = undefined;
    stage.app.clock.advance(minute);
    await stage.app.watch();
    expect(stage.monitor.checks()).toHaveLength(1);
    expect(stage.signals()).toEqual(['success']);
  });

  test('a ping whose response was lost is sent again with the same run id', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.monitor.losing = /^POST \/ping/;
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    stage.monitor.losing = undefined;
    stage.app.clock.advance(minute);
    await stage.app.watch();
    const [, first, second] = stage.monitor.check().pings;
    expect(stage.signals()).toEqual(['success', 'success', 'success']);
    expect(second?.rid).toBe(first?.rid);
  });

  test('deletes a check whose creation had no response before its FQDN was deleted', async () => {
    await renewedFqdn(stage.place);
    stage.monitor.losing = /^POST \/checks\/$/;
    await stage.app.watch();
    stage.monitor.losing = undefined;
    expect(stage.monitor.checks()).toHaveLength(1);
    await clearInventory(stage.app);
    stage.app.clock.advance(10 * minute);
    await stage.app.watch();
    expect(stage.monitor.checks()).toEqual([]);
  });

  test('a check that was deleted in the monitor is created again', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    const { uuid } = stage.monitor.check();
    stage.monitor.forget();
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.monitor.check().uuid).not.toBe(uuid);
    expect(stage.signals()).toEqual(['success']);
    expect(stage.lastBody()).toMatch(/^issued/);
  });

  test('a monitor without room for another check is logged once and called again', async () => {
    stage.monitor.limit = 1;
    await renewedFqdn(stage.place);
    await stage.app.watch();
    const before = stage.events().length;
    for (const name of ['b', 'c', 'd']) await renewedFqdn(stage.place, `${name}.example.org`);
    for (let count = 0; count < 12; count += 1) {
      await stage.app.watch();
      stage.app.clock.advance(10 * minute);
    }
    const logged = () =>
      stage
        .events()
        .slice(before)
        .filter((event) => String(event).startsWith('watch.'));
    expect(logged().filter((event) => event === 'watch.check_limit_reached')).toEqual([
      'watch.check_limit_reached',
    ]);
    expect(stage.monitor.checks()).toHaveLength(1);
    stage.monitor.limit = 10;
    for (let count = 0; count < 6; count += 1) {
      stage.app.clock.advance(10 * minute);
      await stage.app.watch();
    }
    expect(stage.monitor.checks()).toHaveLength(4);
    expect(logged().filter((event) => event === 'watch.check_limit_lifted')).toEqual([
      'watch.check_limit_lifted',
    ]);
  });

  test.each([401, 403, 404, 500])('continues to renew when every call returns %i', async (status) => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.monitor.failing = { path: /./, status };
    await moveToRenewal(stage.app, fqdn);
    expect(await stage.app.renew()).toMatchObject({ renewed: 1 });
    await stage.app.watch();
    expect(await certificatesOf(stage.app, fqdn)).toHaveLength(2);
    stage.monitor.failing = undefined;
    stage.app.clock.advance(120 * minute);
    await stage.app.watch();
    expect(stage.lastBody()).toMatch(/^renewed/);
  });

  test('two processes send each ping once', async () => {
    const besides = await startAppOn(stage.app.database, {
      beside: stage.app,
      environment: stage.monitor.environment,
    });
    const fqdns = [];
    for (let count = 0; count < 5; count += 1)
      fqdns.push(await renewedFqdn(stage.place, `n${count}.example.org`));
    await Promise.all([stage.app.watch(), besides.watch()]);
    await stage.app.watch();
    expect(stage.monitor.checks().map(({ pings }) => pings.length)).toEqual([1, 1, 1, 1, 1]);
    await besides.close();
  });

  test('logs neither the key nor the uuid of a check', async () => {
    await renewedFqdn(stage.place);
    await stage.app.watch();
    const { uuid } = stage.monitor.check();
    stage.monitor.failing = { path: /./, status: 500 };
    stage.app.clock.advance(day);
    await stage.app.watch();
    const lines = JSON.stringify(stage.app.logged());
    expect(lines).toContain('watch.monitor_away');
    for (const secret of [uuid, String(stage.monitor.environment['CHECK_MONITOR_API_KEY'])])
      expect(lines).not.toContain(secret);
  });
}
