import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { createEmit } from '../../src/changes/reactions.service.js';
import type { Provider } from '../../src/providers/provider.js';
import { askAdvice } from '../../src/renewals/advice/ask-advice.service.js';
import { watchedFqdns } from '../../src/watch/watched-fqdns.repository.js';
import { startAppOn } from '../support/app.js';
import { startWatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  addTestRenewal,
  issuedFqdn,
  issueForDays,
  moveToRenewal,
  openEntryOf,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';
import { testCheckLife } from './watch-certificates/check-life-tests.js';
import { testLostAnswers } from './watch-certificates/lost-answer-tests.js';
import { testRevocations } from './watch-certificates/revocation-tests.js';
import { day, describeWatch, minute } from './watch-certificates/watch-stage.js';

describeWatch('the watch of certificates', (stage) => {
  testRevocations(stage);

  test('creates a check that expects the next ping when the renewal is due', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(stage.monitor.check().settings).toEqual({
      name: 'www.example.org (space)',
      slug: `certloop-fqdn-${fqdn.id}`,
      tags: 'certloop certificate space-space',
      desc: expect.stringContaining('www.example.org'),
      timeout: stage.secondsTo(scheduledAt),
      grace: 86_400,
      channels: '*',
      unique: ['slug'],
    });
    expect(stage.signals()).toEqual(['success']);
    expect(stage.lastBody()).toMatch(
      /^watched: serial [0-9a-f]+, issuer .*, valid until .*; to be renewed on /,
    );
    expect(stage.lastBody()).toContain(scheduledAt);
  });

  test('repeats no unchanged setting to the monitor for a day', async () => {
    await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.monitor.asked.length = 0;
    await stage.app.watch();
    stage.app.clock.advance(day - minute);
    await stage.app.watch();
    expect(stage.monitor.asked).toEqual([]);
    stage.app.clock.advance(minute);
    await stage.app.watch();
    expect(stage.monitor.asked).toEqual(['POST /checks/*']);
  });

  test('assigns all integrations to a check that has none, at the daily update', async () => {
    stage.monitor.channels = '';
    await renewedFqdn(stage.place);
    await stage.app.watch();
    expect(stage.monitor.check().channels).toBe('');
    stage.monitor.channels = 'added-later';
    stage.app.clock.advance(day);
    stage.monitor.asked.length = 0;
    await stage.app.watch();
    expect(stage.monitor.check().channels).toBe('added-later');
    expect(stage.monitor.asked).toEqual(['POST /checks/*', 'POST /checks/*']);
    expect(stage.monitor.check().settings).toMatchObject({ slug: expect.stringContaining('certloop-fqdn-') });
  });

  test('does not change the integrations of a check that has some', async () => {
    stage.monitor.channels = 'chosen';
    await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.monitor.channels = 'chosen,another';
    stage.app.clock.advance(day);
    await stage.app.watch();
    expect(stage.monitor.check().channels).toBe('chosen');
  });

  test('reports issued and renewed certificates, and moves the deadline', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.lastBody()).toMatch(/^issued: serial/);
    await moveToRenewal(stage.app, fqdn);
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'success', 'success']);
    expect(stage.lastBody()).toMatch(/^renewed: serial/);
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(stage.monitor.check().settings['timeout']).toBe(stage.secondsTo(scheduledAt));
  });

  test('reports a failed renewal with its reason, and its success afterwards', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await moveToRenewal(stage.app, fqdn);
    stage.place.ca.answer('with a refusal');
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail']);
    expect(stage.lastBody()).toMatch(/^renewal failed \(try 1\): \S/);
    stage.place.ca.answer('normally');
    await moveToRenewal(stage.app, fqdn);
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'fail', 'success']);
  });

  test('only logs what does not threaten the certificate: a request rejected as it was stored, a failed test', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    stage.place.ca.answer('with a refusal');
    await signWith(stage.place, fqdn);
    await addTestRenewal(stage.app, fqdn);
    await stage.app.renew();
    await stage.app.watch();
    expect(stage.signals()).toEqual(['success', 'log', 'log']);
  });

  test('creates a new check for an FQDN without a certificate, and marks it as down after a rejected request', async () => {
    const { fqdn } = await fqdnWithCsr(stage.app);
    await switchRenewal(stage.app, fqdn, true);
    await stage.app.watch();
    expect(stage.monitor.check().settings).toMatchObject({ timeout: 31_536_000 });
    expect(stage.signals()).toEqual([]);
    stage.place.ca.answer('with a refusal');
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['fail']);
    stage.place.ca.answer('normally');
    await signWith(stage.place, fqdn);
    await stage.app.watch();
    expect(stage.signals()).toEqual(['fail', 'success']);
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(stage.monitor.check().settings['timeout']).toBe(stage.secondsTo(scheduledAt));
  });

  test('uses a one-time schedule for a renewal more than a year ahead, and a timeout for a nearer one', async () => {
    await issueForDays(stage.place, 825);
    const fqdn = await issuedFqdn(stage.place);
    await switchRenewal(stage.app, fqdn, true);
    await stage.app.watch();
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(stage.monitor.check().settings).toMatchObject({
      schedule: scheduledAt.slice(0, 19).replace('T', ' '),
      tz: 'UTC',
      grace: 86_400,
    });
    expect(stage.monitor.check().settings).not.toHaveProperty('timeout');
    await switchRenewal(stage.app, fqdn, true, { renewAfterFraction: 0.1 });
    await stage.app.watch();
    expect(stage.monitor.check().settings).toMatchObject({ timeout: expect.any(Number) });
  });

  test('moves the deadline with the share of the lifetime', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await switchRenewal(stage.app, fqdn, true, { renewAfterFraction: 0.2 });
    await stage.app.watch();
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(stage.monitor.check().settings['timeout']).toBe(stage.secondsTo(scheduledAt));
    expect(stage.signals()).toEqual(['success']);
  });

  test('moves the deadline with the advice of the CA', async () => {
    const fqdn = await renewedFqdn(stage.place);
    await stage.app.watch();
    await switchRenewal(stage.app, fqdn, false);
    const { id: providerId } = await providerOf(stage.app, 'acme');
    const { database: db, clock } = stage.app;
    await db.transaction((tx) => tx.update(certificates, { fqdnId: fqdn.id }, { providerId }));
    await switchRenewal(stage.app, fqdn, true);
    await stage.app.watch();
    const start = new Date(clock.now().getTime() + 3 * day);
    const end = new Date(start.getTime() + minute);
    const provider = {
      adviseRenewal: async () => ({ start, end, explanationUrl: undefined, retryAt: undefined }),
    } as unknown as Provider;
    await askAdvice({
      db,
      clock,
      emit: createEmit({ clock, notices: undefined, watch: { watchesExpiry: true } }),
      logger: createLogger({ service: 'cert-manager', level: 'silent' }),
      opener: { open: () => provider, openForSigning: () => provider },
    });
    await stage.app.watch();
    const { scheduledAt } = await openEntryOf(stage.app, fqdn);
    expect(new Date(scheduledAt) >= start && new Date(scheduledAt) <= end).toBe(true);
    expect(stage.monitor.check().settings['timeout']).toBe(stage.secondsTo(scheduledAt));
  });

  testCheckLife(stage);
  testLostAnswers(stage);
});

describeEachDialect('certificates stored before a monitor is configured', (open) => {
  test('are watched once each after it is configured', async () => {
    const monitor = await startWatchingMonitor();
    const place = await startRenewing(open);
    await renewedFqdn(place);
    await fqdnWithCsr(place.app, 'without-certificate.example.org');
    await place.app.watch();
    expect(await place.app.database.read((tx) => tx.count(watchedFqdns))).toBe(0);
    const later = await startAppOn(place.app.database, {
      beside: place.app,
      environment: monitor.environment,
    });
    await later.watch();
    await later.watch();
    expect(monitor.check().pings).toHaveLength(1);
    await later.close();
    await place.close();
    await monitor.close();
  });
});
