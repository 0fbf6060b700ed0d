import { type Browser, hasBrowser, openBrowser, openPath, runStory, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCertloop } from '../support/certloop.js';
import { type Cleanup, type RunningStack, startTestStack } from '../support/test-stack.js';
import { wordsOf } from '../support/walk-page.js';

(hasBrowser() ? describe : describe.skip)('the commands that empty pages show', () => {
  let browser: Browser;
  let running: RunningStack;
  const cleanups: Cleanup[] = [];
  beforeAll(async () => {
    [browser, running] = await Promise.all([openBrowser(), startTestStack('sqlite', {}, cleanups)]);
    cleanups.push(() => browser.close());
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  /** Runs a line as its reader would, with the token of the administrator, whose password is typed; what it printed. */
  async function run(line: string): Promise<string> {
    const [program, ...args] = wordsOf(line);
    expect(program).toBe('certloop');
    const { url, token, password } = running.stack.credentials.certManager;
    const env = { CERTLOOP_URL: url, CERTLOOP_TOKEN: token, HOME: '/nonexistent' };
    const { code, out, err } = await runCertloop(args, { env, input: `${password}\n` });
    expect({ line, code, err: code === 0 ? '' : err }).toEqual({ line, code: 0, err: '' });
    return out;
  }

  /** Signs in and plays a story. */
  const play = (
    name: string,
    person: { readonly username: string; readonly password: string },
    story: (page: Story['page']) => Promise<void>,
  ) =>
    runStory(browser, { name, url: running.stack.credentials.certManager.url }, async ({ page }) => {
      await page.getByLabel('User name').fill(person.username);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await story(page);
    });

  test('add a name and enable its renewal', async () => {
    const { manager } = running.clients;
    await play('commands-of-names', running.stack.credentials.certManager, async (page) => {
      const lines: string[] = [];
      for (const [path, heading] of [
        ['/fqdns', 'There is no name that you may see'],
        ['/renewals', 'No renewal is planned'],
      ] as const) {
        await openPath(page, `/ui${path}`);
        await page.getByRole('heading', { name: heading }).waitFor();
        lines.push((await page.locator('main pre').textContent()) ?? '');
      }
      await run('certloop spaces create Shop');
      for (const line of lines) await run(line);
    });
    const { body } = await manager.listAllFqdns({ query: {} });
    expect(body).toMatchObject([{ fqdn: 'www.example.com', renewalEnabled: true }]);
  });

  test('create an API token', async () => {
    const { manager } = running.clients;
    const nora = { username: 'nora', password: 'nine green bottles' };
    await manager.createUser({ body: { ...nora, email: 'nora@example.com' } });
    await play('command-of-tokens', nora, async (page) => {
      await openPath(page, '/ui/account');
      const tokens = page.getByRole('region', { name: 'API tokens' });
      await tokens.getByText('You have none.').waitFor();
      await run((await tokens.locator('pre').textContent()) ?? '');
    });
    // tokens are listed in a session only, which the command opens
    const tokens: { name: string; scope: string; createdAt: string; expiresAt: string }[] = JSON.parse(
      await run('certloop tokens list --json'),
    );
    const created = tokens.find(({ name }) => name === 'nightly');
    expect(created).toMatchObject({ scope: 'READ' });
    const weeks =
      (Date.parse(created?.expiresAt ?? '') - Date.parse(created?.createdAt ?? '')) / (7 * 86_400_000);
    expect(weeks).toBeCloseTo(12, 1);
  });
});
