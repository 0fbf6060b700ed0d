import { failingCommands, hasBrowser, hasCurl, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';

const canRun = [hasBrowser(), hasCurl()].every(Boolean);

(canRun ? describe : describe.skip)('an empty page', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  /** The command of the page at `path`, whose empty state has the heading. */
  async function commandAt(page: Story['page'], path: string, heading: string): Promise<string> {
    await page.goto(`${stage.url}/ui${path}`);
    await page.getByRole('heading', { name: heading }).waitFor();
    return (await page.locator('main pre').textContent()) ?? '';
  }

  test('shows a working command next to its button', async () => {
    const { ada } = stage.app.people;
    await stage.play('empty-pages', ada, '/account', async ({ page, look }) => {
      await page.route('**/providers?*', (route) => route.fulfill({ json: [] }));
      const requests: string[] = [];
      for (const [path, heading, button] of [
        ['/spaces', 'There is no space yet', 'Create a space'],
        ['/groups', 'There is no group yet', 'Create a group'],
        ['/providers', 'There is no provider', 'Create a provider'],
      ] as const) {
        requests.push(await commandAt(page, path, heading));
        await page.getByRole('button', { name: button }).waitFor();
        await look(path.slice(1));
      }
      const answers = await failingCommands(requests, { TOKEN: ada.token });
      expect(answers.map((text) => text.slice(0, 4))).toEqual(['201 ', '201 ', '201 ']);

      expect(await commandAt(page, '/renewals', 'No renewal is planned')).toBe(
        'certloop renewals on www.example.com',
      );
      await look('renewals');
      await page.getByRole('link', { name: 'Switch the renewal of a name on' }).click();
      await page.getByRole('heading', { name: 'There is no name that you may see' }).waitFor();
      expect(await page.locator('main pre').textContent()).toBe(
        'certloop fqdns add www.example.com --space Shop',
      );
      await look('names');
    });
  });

  test('shows no command to users who cannot change anything', async () => {
    await stage.play('empty-reader', stage.app.people.cleo, '/account', async ({ page }) => {
      const levels = page.waitForResponse(/\/spaces\?include=counts/);
      await page.getByRole('link', { name: 'Renewals' }).click();
      await page.getByRole('heading', { name: 'No renewal is planned' }).waitFor();
      await levels;
      expect(await page.locator('main').locator('pre, [href$="/fqdns"]').count()).toBe(0);
      await page.getByRole('link', { name: 'Names', exact: true }).click();
      await page.getByRole('link', { name: 'Open the spaces' }).waitFor();
      expect(await page.locator('main pre').count()).toBe(0);
    });
  });

  test('shows a user without API tokens how to create one', async () => {
    await stage.play('no-tokens', stage.app.people.cleo, '/account', async ({ page, look }) => {
      await page.getByRole('button', { name: 'Revoke test' }).click();
      await page.getByRole('button', { name: 'Revoke the token' }).click();
      await page.getByText('You have none.').waitFor();
      const tokens = page.getByRole('region', { name: 'API tokens' });
      expect(await tokens.locator('pre').textContent()).toBe(
        'certloop tokens create nightly --scope READ --expires-in 12w',
      );
      await look('tokens');
    });
  });
});
