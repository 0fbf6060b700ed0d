import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';

(hasBrowser() ? describe : describe.skip)('a page whose parts cannot be loaded', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('reloads a page if a deployment has replaced its parts', async () => {
    await stage.play('deployment', stage.app.people.ada, '/account', async ({ page }) => {
      await page.route(/\/assets\/audit-page/, (route) => route.fulfill({ status: 404 }), { times: 1 });
      await page.getByRole('link', { name: 'Audit log' }).click();
      await page.getByRole('table', { name: 'Audit log' }).waitFor();
    });
  });

  test('says what to do if a part stays missing, and if the user has typed something', async () => {
    await stage.play('part-gone', stage.app.people.ada, '/account', async ({ page, look }) => {
      const part = /\/assets\/statistics-page/;
      await page.route(part, (route) => route.fulfill({ status: 404 }));
      await page.getByLabel('Current password', { exact: true }).fill('typed');
      await page.evaluate("history.pushState(null, '', '/ui/statistics')");
      const dialog = page.getByRole('dialog', { name: 'That page cannot be opened now' });
      await dialog.getByText('is not on the service any more').waitFor();
      await look('typed');
      await page.context().setOffline(true);
      await dialog.getByRole('button', { name: 'Load the console anew without it' }).click();
      await dialog.getByText('The service does not answer.').waitFor();
      await page.context().setOffline(false);
      const loaded = page.waitForEvent('load');
      await dialog.getByRole('button', { name: 'Load the console anew without it' }).click();
      await loaded;
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      expect(await page.getByLabel('Current password', { exact: true }).inputValue()).toBe('');
      await page.getByRole('link', { name: 'Statistics' }).click();
      const failed = page.getByRole('alert').filter({ hasText: 'This page could not be opened' });
      await failed.getByText('is not on the service any more').waitFor();
      await look('stays');
      await page.unroute(part);
      await page.getByRole('button', { name: 'Load the console anew' }).click();
      await page.getByRole('heading', { name: 'Statistics', exact: true }).waitFor();

      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Renewals' }).click();
      await failed.getByText('The service does not answer').waitFor();
      await look('away');
      await page.context().setOffline(false);
      await page.getByRole('button', { name: 'Load the console anew' }).click();
      await page.getByRole('heading', { name: 'Renewals', exact: true }).waitFor();
    });
  });

  test('opens a page again whose part could not be loaded during an outage', async () => {
    await stage.play('part-back', stage.app.people.ada, '/account', async ({ page }) => {
      await page.context().setOffline(true);
      await page.getByRole('link', { name: 'Statistics' }).click();
      const failed = page.getByRole('alert').filter({ hasText: 'This page could not be opened' });
      await failed.getByText('The service does not answer').waitFor();
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.context().setOffline(false);
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('heading', { name: 'Statistics', exact: true }).waitFor();
    });
  });

  test('asks about typed text before it knows why a part is missing, and then names the reason', async () => {
    await stage.play('part-broken', stage.app.people.ada, '/account', async ({ page }) => {
      const part = /\/assets\/statistics-page/;
      let answer = () => {};
      const isAnswered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route(part, async (route) => {
        if (route.request().resourceType() === 'script') return route.abort('connectionreset');
        await isAnswered;
        return route.continue();
      });
      await page.getByLabel('Current password', { exact: true }).fill('typed');
      await page.evaluate("history.pushState(null, '', '/ui/statistics')");
      const dialog = page.getByRole('dialog', { name: 'That page cannot be opened now' });
      await dialog.getByText('A part of that page could not be loaded.').waitFor();
      answer();
      await dialog.getByText('although the service answers').waitFor();
      await dialog.getByRole('button', { name: 'Stay on the page' }).click();
      expect(await page.getByLabel('Current password', { exact: true }).inputValue()).toBe('typed');
    });
  });
});
