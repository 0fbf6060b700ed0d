import { type Browser, hasBrowser, openBrowser, runStory, tabTo } from '@certloop/browser';
import { findConsole, type Listening, listen } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAppOnSqlite, type TestApp } from '../support/app.js';

(hasBrowser() ? describe : describe.skip)('the session of a page', () => {
  let browser: Browser;
  let app: TestApp;
  let listening: Listening;
  beforeAll(async () => {
    const consoleFolder = findConsole('@certloop/web-manager', import.meta.url) ?? '';
    [browser, app] = await Promise.all([
      openBrowser(),
      // at the time of the browser, as the page compares the end of the session with it
      startAppOnSqlite({ consoleFolder, now: new Date() }),
    ]);
    listening = await listen(app.http, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await browser.close();
    await listening.close();
    await app.close();
  });

  test('ends after 30 idle minutes although the page polls, and loses nothing that was typed', async () => {
    const { ada } = app.people;
    const url = `${listening.url}/ui/`;
    await runStory(browser, { name: 'session', url }, async ({ page, openTab, look }) => {
      const signIn = async () => {
        await page.getByLabel('Password', { exact: true }).fill(ada.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
      };
      await page.clock.install();
      await page.reload();
      await page.getByLabel('User name').fill(ada.username);
      await signIn();
      await page.getByRole('button', { name: 'Create a space' }).click();
      await page.getByLabel('Name').fill('Shop of the south');
      await page.getByLabel('Description').fill('Half of a sentence');

      // a poll in every third of half an hour
      for (const minutes of [10, 10]) {
        app.clock.advance(minutes * 60_000);
        const polled = page.waitForResponse(/\/auth\/me$/);
        await page.clock.fastForward(31_000);
        expect((await polled).status()).toBe(200);
      }
      app.clock.advance(11 * 60_000);
      await page.clock.fastForward(31_000);
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
      await look('ended');
      expect(await page.locator(':focus').getAttribute('name')).toBe('password');
      // a session that ends in one and a half minutes of the browser
      app.clock.set(new Date(Date.now() - 28.5 * 60_000));
      await signIn();
      await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' });
      const warning = page.getByRole('status').getByText('Your session ends in less than two minutes.');
      await warning.waitFor();
      await page.getByText(/^Your session ends in 1:\d\d\.$/).waitFor();
      await look('warning');
      app.clock.advance(10 * 60_000);
      // the form in which one types is a dialog, which keeps the focus
      const stay = page.getByRole('dialog').getByRole('button', { name: 'Stay signed in' });
      await tabTo(page, stay);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Stay signed in' }).waitFor({ state: 'detached' });
      await warning.waitFor({ state: 'detached' });
      expect(await page.getByLabel('Name').inputValue()).toBe('Shop of the south');
      expect(await page.getByLabel('Description').inputValue()).toBe('Half of a sentence');
      await page.getByRole('button', { name: 'Create the space' }).click();
      await page.getByRole('link', { name: 'Add a name to Shop of the south' }).waitFor();

      const tab = await openTab();
      await tab.goto(url);
      await tab.getByRole('button', { name: `Menu of ${ada.username}` }).click();
      await tab.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You signed out in another tab' }).waitFor();
    });
  });

  test('repeats rejected requests if the session continues', async () => {
    const { ada } = app.people;
    const url = `${listening.url}/ui/spaces`;
    await runStory(browser, { name: 'doubt', url }, async ({ page }) => {
      let refusals = 0;
      await page.route(
        ({ pathname, search }) => pathname === '/spaces' && search.includes('sort=attention'),
        async (route) => {
          const isFirst = refusals === 0;
          if (isFirst) refusals += 1;
          await (isFirst ? route.fulfill({ status: 401 }) : route.continue());
        },
      );
      await page.getByLabel('User name').fill(ada.username);
      await page.getByLabel('Password', { exact: true }).fill(ada.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Shop of the south' }).first().waitFor();
      expect(refusals).toBe(1);
    });
  });
});
