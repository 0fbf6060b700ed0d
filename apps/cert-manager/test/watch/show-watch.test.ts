import type { AlertReach } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { projectId, startWatchingMonitor } from '../support/monitor/watching-monitor.js';

const none: AlertReach = {
  checks: 4,
  checksWithoutIntegration: 4,
  integrations: 0,
  canSend: 0,
  switchedOff: 0,
  unable: 0,
  failing: 0,
};

const watchOf = async (app: TestApp) =>
  (await app.request.get('/watch').set(app.people.ada.auth).expect(200)).body as Record<string, unknown>;

describeEachDialect('the state of the watch', (open) => {
  test('is not watched without a monitor', async () => {
    const app = await startApp(open);
    expect(await watchOf(app)).toEqual({
      state: 'not_watched',
      message: expect.stringContaining('CHECK_MONITOR_URL'),
    });
    await app.close();
  });

  test('follows what the monitor says of its integrations, and is unknown while it does not say', async () => {
    const monitor = await startWatchingMonitor();
    const environment = { ...monitor.environment, CHECK_MONITOR_PUBLIC_URL: 'https://monitor.example/' };
    const app = await startApp(open, { environment });
    const run = async () => {
      app.clock.advance(60_000);
      await app.runRenewalJob();
      return watchOf(app);
    };
    expect(await watchOf(app)).toEqual({
      state: 'unknown',
      message: 'It is unknown whether anyone is notified: the monitor was not asked yet.',
    });
    expect(await run()).toMatchObject({ state: 'unknown', monitor: { answers: true } });
    monitor.alerts = none;
    expect(await run()).toMatchObject({
      state: 'no_one',
      message: 'Watched, but no one is notified: the project in the monitor has no integration: add one.',
      alerts: { canSend: 0, checks: 4 },
      integrationsUrl: `https://monitor.example/ui/projects/${projectId}/integrations`,
    });
    const able = { ...none, integrations: 1, canSend: 1, checksWithoutIntegration: 0 };
    monitor.alerts = { ...able, lastDeliveredAt: '2026-01-01T12:00:00+00:00' };
    expect(await run()).toMatchObject({
      state: 'notified',
      alerts: { canSend: 1, lastDeliveredAt: '2026-01-01T12:00:00.000Z' },
    });
    monitor.alerts = { ...able, checksWithoutIntegration: 2 };
    expect(await run()).toMatchObject({ state: 'no_one', alerts: { checksWithoutIntegration: 2 } });
    monitor.failing = { path: /./, status: 503 };
    const away = await run();
    expect(away).toMatchObject({ state: 'unknown', monitor: { answers: false } });
    expect(away).not.toHaveProperty('alerts');
    await app.close();
    await monitor.close();
  });

  test('is for people who are signed in, and no part of the health that anyone reads', async () => {
    const monitor = await startWatchingMonitor();
    const app = await startApp(open, { environment: { ...monitor.environment, METRICS_OPEN: 'true' } });
    monitor.alerts = none;
    await app.runRenewalJob();
    await app.request.get('/watch').expect(401);
    const metrics = (await app.request.get('/metrics').expect(200)).text;
    expect(metrics).toMatch(/^cert_manager_watch_integrations 0$/m);
    expect(metrics).toMatch(/^cert_manager_watch_silent_checks 4$/m);
    const { body } = await app.request.get('/health').expect(200);
    expect(Object.keys(body.monitor)).toEqual(['answers', 'since']);
    await app.close();
    await monitor.close();
  });
});
