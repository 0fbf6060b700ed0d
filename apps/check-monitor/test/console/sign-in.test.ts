import { hasBrowser, runStory } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ConsoleStage, openConsole, password } from '../support/console.js';

const email = 'anna@example.org';

(hasBrowser() ? describe : describe.skip)('the sign-in of the monitor', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('leads to the projects, the checks of one and the states of these', async () => {
    const anna = await stage.newOwner(email, 'Jobs');
    const backup = await anna.check({ name: 'Nightly backup', tags: 'prod db', timeout: 3_600, grace: 300 });
    await anna.ping(backup, '/fail');
    await anna.check({ name: 'Reports', timeout: 86_400, grace: 3_600 });
    const { browser, url } = stage;
    await runStory(browser, { name: 'monitor', url }, async ({ page, look }) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The name or the password is wrong').waitFor();
      await look('refused');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('1 down, 1 new').waitFor();
      await look('projects');
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('img', { name: 'Last 1 run' }).waitFor();
      const [, first] = await page.getByRole('row').all();
      expect(await first?.textContent()).toMatch(/^Nightly backupprod db\s*down/);
      await look('checks');
      await page.getByRole('button', { name: `Menu of ${email}` }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });
});
