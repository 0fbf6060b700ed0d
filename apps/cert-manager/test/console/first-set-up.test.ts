import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { type Browser, hasBrowser, openBrowser, runStory } from '@certloop/browser';
import { createTestDatabase } from '@certloop/db/testing';
import { createLogger, createMovableClock, findConsole, listen } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { readCertManagerConfig } from '../../src/config.js';
import { schema } from '../../src/database.js';
import { quickCost } from '../support/app.js';

/** A service that never had an administrator, with its console at a real port. */
async function startNewService(environment: Readonly<Record<string, string>> = {}) {
  const { database, drop } = await createTestDatabase('sqlite', schema);
  const tokenFile = `/tmp/certloop-setup-token-${randomUUID()}`;
  const clock = createMovableClock(new Date());
  const app = await createApp({
    config: readCertManagerConfig({ CERT_MANAGER_SETUP_TOKEN_FILE: tokenFile, ...environment }),
    database,
    logger: createLogger({ service: 'cert-manager', level: 'silent' }),
    clock,
    passwordCost: quickCost,
    announce: () => undefined,
    consoleFolder: findConsole('@certloop/web-manager', import.meta.url),
  });
  const { url, close } = await listen(app.http, { host: '127.0.0.1', port: 0 });
  return {
    url,
    clock,
    signInWrongly: (username: string) =>
      fetch(`${url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password: 'wrong' }),
      }),
    token: await readFile(tokenFile, 'utf8').then(
      (text) => text.trim(),
      () => '',
    ),
    close: async () => {
      await close();
      await app.close();
      await drop();
      await rm(tokenFile, { force: true });
    },
  };
}

(hasBrowser() ? describe : describe.skip)('the first visit of a new service', () => {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startNewService>>;
  beforeAll(async () => {
    [browser, service] = await Promise.all([openBrowser(), startNewService()]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  test('creates the first administrator with the setup token, signs in and out', async () => {
    await runStory(browser, { name: 'first-set-up', url: service.url }, async ({ page, look }) => {
      await page.getByRole('heading', { name: 'Create the first administrator' }).waitFor();
      const create = page.getByRole('button', { name: 'Create the administrator and sign in' });
      await page.getByLabel('Setup token').fill('cms_wrong');
      await page.getByLabel('User name').fill('anna');
      await page.getByLabel('E-mail address').fill('anna@example.org');
      await page.getByLabel('Password', { exact: true }).fill('short');
      await create.click();
      await page.getByText('This setup token is wrong or too old').waitFor();
      await look('wrong-token');
      await page.getByLabel('Setup token').fill(service.token);
      await create.click();
      await page.getByText('Must have at least 8 characters').waitFor();
      await look('short-password');
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await create.click();
      await page.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await page.getByRole('button', { name: 'Menu of anna' }).click();
      await look('menu');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  test('afterwards asks for name and password, and returns to the requested page', async () => {
    const url = `${service.url}/ui/spaces?q=x`;
    await runStory(browser, { name: 'sign-in', url }, async ({ page, look }) => {
      await page.clock.install();
      await page.reload();
      await page.getByLabel('User name').fill('anna');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The name or the password is wrong').waitFor();
      await look('refused');
      // the service delays an account that was tried too often
      for (let count = 0; count < 9; count += 1) await service.signInWrongly('anna');
      await page.getByRole('button', { name: 'Sign in' }).click();
      const wait = page.getByRole('button', { name: /^Try again in \d+ s$/ });
      await wait.waitFor();
      expect(await wait.isDisabled()).toBe(true);
      await look('delayed');
      service.clock.advance(60_000);
      await page.clock.fastForward(60_000);
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/ui/spaces');
      await page.goto(`${service.url}/ui/welcome`);
      await page.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await page.context().clearCookies();
      await page.goto(`${service.url}/ui/welcome`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  test('in open mode asks for no sign-in, and says so on every page', async () => {
    const open = await startNewService({ AUTH_MODE: 'open' });
    try {
      await runStory(browser, { name: 'open-mode', url: open.url }, async ({ page, look }) => {
        const warning = page.getByText('This service runs without sign-in');
        await warning.waitFor();
        await page.getByRole('button', { name: 'Create a space' }).click();
        await page.getByLabel('Name').fill('Shop');
        await page.getByRole('button', { name: 'Create the space' }).click();
        await page.getByRole('link', { name: 'Add a name to Shop' }).waitFor();
        await page.getByRole('link', { name: 'Audit log' }).click();
        await page.getByRole('table', { name: 'Audit log' }).getByRole('link', { name: 'Shop' }).waitFor();
        await warning.waitFor();
        await look('audit');
        await page.getByRole('button', { name: /^Menu of / }).click();
        expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Your account' }).click();
        await page.getByRole('heading', { name: 'Your account' }).waitFor();
        await look('account');
      });
    } finally {
      await open.close();
    }
  });
});
