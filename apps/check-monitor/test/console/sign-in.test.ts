import { type Browser, hasBrowser, openBrowser, runStory } from '@certloop/browser';
import { createTestDatabase, type OpenTestDatabase } from '@certloop/db/testing';
import { findConsole } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setPassword } from '../../src/accounts/sessions.service.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { Holder, openTestApp, passwords, type TestApp } from '../support/app.js';

const email = 'anna@example.org';
const password = 'correct horse battery';

(hasBrowser() ? describe : describe.skip)('the sign-in of the monitor', () => {
  let browser: Browser;
  let app: TestApp;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    browser = await openBrowser();
    const open: OpenTestDatabase = async (schema) => {
      const opened = await createTestDatabase('sqlite', schema);
      drop = opened.drop;
      return opened;
    };
    const consoleFolder = findConsole('@certloop/web-monitor', import.meta.url) ?? '';
    // the browser knows no https here; cookies and origins are judged by this address
    const addresses = { siteRoot: 'http://127.0.0.1', pingEndpoint: 'http://127.0.0.1/ping/' };
    app = await openTestApp(open, { addresses }, { consoleFolder });
    app.clock.set(new Date());
  });
  afterAll(async () => {
    await browser.close();
    await app.close();
    await drop();
  });

  test('leads to the projects, the checks of one and the states of these', async () => {
    const owner = { email, checkLimit: null, pingLimit: null };
    const anna = new Holder(app.http, await setUpProject(app.accounts, owner, 'Jobs'));
    await setPassword({ ...app.accounts, passwords }, email, password);
    const backup = await anna.check({ name: 'Nightly backup', tags: 'prod db', timeout: 3_600, grace: 300 });
    await anna.ping(backup, '/fail');
    await anna.check({ name: 'Reports', timeout: 86_400, grace: 3_600 });
    const url = `http://127.0.0.1:${app.address().port}/`;
    await runStory(browser, { name: 'monitor', url }, async ({ page, look }) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This name and password do not fit together').waitFor();
      await look('refused');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Jobs' }).waitFor();
      await look('projects');
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByText('2 checks: 1 down, 1 new').waitFor();
      const [, first] = await page.getByRole('row').all();
      expect(await first?.textContent()).toMatch(/^Nightly backup\s*down/);
      await look('checks');
      await page.getByRole('button', { name: `Menu of ${email}` }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });
});
