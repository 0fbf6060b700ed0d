import { hasBrowser, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { holdBack } from '../support/hold-back.js';
import { addFqdn, pathOf } from '../support/inventory.js';
import { configure, fqdnWithCsr, providerOf } from '../support/signing.js';

const allowedNames = {
  names: [],
  suffixes: ['example.org'],
  wildcards: true,
  cidrs: [],
  beyondFqdn: true,
};

(hasBrowser() ? describe : describe.skip)('the dashboard', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  /** Loads the dashboard again, of which there is only the title while what it needs is held back. */
  async function expectOnlyTitle(page: Story['page']): Promise<void> {
    await page.reload();
    await page.getByRole('heading', { name: 'Dashboard', exact: true }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Dashboard']);
  }

  test('leads from an empty dashboard to the first name', async () => {
    await stage.play('dashboard', stage.app.people.ada, '/', async ({ page, look }) => {
      await page.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await look('empty');
      // the dashboard of another tab shows something else: neither answers the other
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await page.evaluate(`void (window.heard = new Promise((resolve) =>
        addEventListener('storage', () => requestAnimationFrame(() => setTimeout(resolve, 0)), { once: true })))`);
      await other.evaluate("localStorage.setItem('certloop-dashboard', 'cards')");
      await page.evaluate('window.heard');
      expect(await page.evaluate("localStorage.getItem('certloop-dashboard')")).toBe('cards');
      await other.close();
      // also before it is known that there is no name, as in a browser that was never here
      await page.evaluate('localStorage.clear()');
      const counts = await holdBack(page, '**/fqdns/counts*');
      await expectOnlyTitle(page);
      counts.release();
      await page.getByRole('button', { name: 'Create a space' }).click();
      await page.getByLabel('Name').fill('First space');
      await page.getByRole('button', { name: 'Create the space' }).click();
      await page.getByRole('link', { name: 'Add a name to First space' }).click();
      await page.getByRole('heading', { name: 'This space has no name yet' }).waitFor();
    });
  });

  test('shows failures, the next expiries and the effect of an outage, with six requests', async () => {
    const { app, ca } = stage;
    // the service caches what it counted for the empty dashboard
    app.clock.advance(61_000);
    const { fqdn } = await fqdnWithCsr(app, 'failing.example.org');
    // enough names for a toolbar
    for (let number = 1; number <= 5; number += 1) {
      await addFqdn(app, fqdn.spaceId, `unfinished${number}.example.org`);
    }
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
    ca.answer('with a certificate that is due');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    ca.answer('with a refusal');
    await app.request
      .put(pathOf(fqdn, 'renewal-enabled'))
      .set(app.people.ada.auth)
      .send({ renewalEnabled: true })
      .expect(200);
    await app.runRenewalJob();
    await stage.play('dashboard', app.people.ada, '/', async ({ page, look }) => {
      await page.getByRole('heading', { name: '1 name needs you' }).waitFor();
      const needs = page.getByRole('region', { name: 'What needs you' });
      await needs.getByText('The last renewal failed').waitFor();
      expect(await needs.getByRole('listitem').count()).toBe(1);
      await page.getByText(/ (It|1 of them) is failing\./).waitFor();
      await page.getByText(/If every CA stopped now/).waitFor();
      await page.getByRole('table', { name: 'Next renewals' }).getByText('failing.example.org').waitFor();
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps
        .getByRole('listitem')
        .filter({ hasNotText: 'done' })
        .getByText('CHECK_MONITOR_URL')
        .waitFor();
      expect(await steps.getByText('done').count()).toBe(5);
      await look('failing');
      await page.route('**/watch', (route) => route.fulfill({ status: 400, body: '{}' }));
      await page.reload();
      await steps.getByText('The service answered with status 400.').waitFor();
      await page.unroute('**/watch');
      await steps.getByRole('button', { name: 'Retry' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();
      await steps.getByRole('button', { name: 'Hide this list' }).click();
      await steps.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Show the first steps of a new installation').check();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();

      await app.request
        .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ allowedNames })
        .expect(200);
      // a browser that was never here does not show a list of which all is done
      const at = app.clock.now().toISOString();
      const counts = { failing: 0, checks: 1, checksWithoutIntegration: 0 };
      const integrationsUrl = 'https://monitor.example/ui/projects/1/integrations';
      const said = { monitor: { answers: true, since: at }, integrationsUrl };
      const answerWatch = (more: object) =>
        page.route('**/watch', (route) => route.fulfill({ json: { ...said, ...more } }));
      const watch = page.getByRole('region', { name: 'Who watches' });
      const nextStep = steps.getByRole('listitem').filter({ hasNotText: 'done' });
      // red, with the way out, where the monitor has no integration that can send
      const message =
        'Watched, but no one is notified: the project in the monitor has no integration: add one.';
      const pace = { perMinute: 0.5, room: 0, refusals: 2, pausedUntil: at };
      await page.route('**/outlook', async (route) => {
        const response = await route.fetch();
        const body = (await response.json()) as { providers: object[] };
        await route.fulfill({
          json: { ...body, providers: body.providers.map((one) => ({ ...one, pace })) },
        });
      });
      const clock = 'the clock of the database is 90 s ahead of that of this machine';
      await page.route('**/health/ready', (route) => route.fulfill({ json: { status: 'ok', clock } }));
      await answerWatch({ state: 'no_one', message, alerts: { ...counts, canSend: 0 } });
      await page.reload();
      for (const card of [watch, needs]) {
        await card.locator('[data-tone=bad]').getByText('watched, but no one is notified').waitFor();
        const link = card.getByRole('link', { name: 'Add an integration' });
        expect(await link.getAttribute('href')).toBe(integrationsUrl);
      }
      expect(await watch.locator('[data-tone=ok]').count()).toBe(0);
      const reserve = page.getByRole('region', { name: 'If a CA is away' });
      await reserve
        .getByText(/is limited by its CA: 30 an hour, 0 may begin now, 2 refusals in a row/)
        .waitFor();
      await page.getByText('The clocks differ. The clock of the database is 90 s ahead').waitFor();
      await look('silent');
      await page.unroute('**/outlook');
      await page.unroute('**/health/ready');
      // a step that ends only when a message or a test has arrived
      const notified = { state: 'notified', message: 'Watched: 1 integration can notify people.' };
      await page.unroute('**/watch');
      await answerWatch({ ...notified, alerts: { ...counts, canSend: 1 } });
      await page.reload();
      await watch.locator('[data-tone=ok]').getByText('people are notified').waitFor();
      await watch.getByText('No message or test has arrived yet.').waitFor();
      await nextStep.getByText('send a test').waitFor();
      await page.unroute('**/watch');
      await answerWatch({ ...notified, alerts: { ...counts, canSend: 1, lastDeliveredAt: at } });
      await page.evaluate('localStorage.clear()');
      const renewals = await holdBack(page, '**/renewal-queue?*');
      await expectOnlyTitle(page);
      renewals.release();
      await needs.waitFor();
      expect(await steps.count()).toBe(0);
      // unless it is asked for
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Show the first steps of a new installation').check();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();
      expect(await steps.getByText('done', { exact: true }).count()).toBe(8);
      await look('finished');
      await page.unroute('**/watch');
      await steps.getByRole('button', { name: 'Hide this list' }).click();
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (!/^\/(ui|auth|changes|watch|health)/.test(pathname)) asked.push(pathname);
      });
      await page.reload();
      await page.getByRole('table', { name: 'Next renewals' }).getByText('failing.example.org').waitFor();
      await page.getByText(/If every CA stopped now/).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await steps.count()).toBe(0);
      expect(asked.sort()).toEqual([
        '/fqdns',
        '/fqdns/counts',
        '/outlook',
        '/providers',
        '/renewal-queue',
        '/stats/expiry',
      ]);
      // what counts something leads to the list of it
      const table = page.getByRole('table', { name: 'Names' });
      const states = page.getByRole('list', { name: 'Names by state' });
      const unfinished = (await states.getByRole('link', { name: /no certificate yet/ }).textContent()) ?? '';
      await states.getByRole('link', { name: '1 failing' }).click();
      await table.getByRole('link', { name: 'failing.example.org' }).waitFor();
      expect(await table.getByRole('rowheader').count()).toBe(1);
      await page.getByRole('link', { name: `no certificate yet ${Number.parseInt(unfinished, 10)}` }).click();
      await page.getByText(`${Number.parseInt(unfinished, 10)} names`, { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('button', { name: 'Count now' }).click();
      await page.getByRole('table', { name: 'Certificates by provider' }).getByText('dummy-ca').waitFor();
      await look('statistics');
      const soon = page.getByRole('link', { name: /^In use, expire within 30 days: / });
      const count = Number(((await soon.textContent()) ?? '').trim());
      await soon.click();
      await page.getByText(/^The certificate expires from .* on before /).waitFor();
      await page.getByText(count === 1 ? '1 name' : `${count} names`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('link', { name: /^All \d/ }).waitFor();
    });
  });
});
