import { hasBrowser, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addFqdn, addSpace } from '../support/inventory.js';

type Page = Story['page'];

(hasBrowser() ? describe : describe.skip)('the first requests of a page', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  /** Paths and queries of the requests to the API since this call, each as often as it was sent. */
  async function noteAsked(page: Page): Promise<string[]> {
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url());
      if (!pathname.startsWith('/ui')) asked.push(`${pathname}${search}`);
    });
    return asked;
  }

  /** Lets the scripts of the console wait until `isEnough`. */
  async function holdScripts(page: Page, isEnough: () => Promise<unknown>): Promise<void> {
    await page.route('**/assets/index-*.js', async (route) => {
      await isEnough();
      await route.continue();
    });
  }

  test('are sent before its scripts are there, each of them once', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Early team');
    await addFqdn(app, space.id, 'early.example.org');
    const list = 'fqdns?limit=100&sort=attention&include=status';
    await stage.play('first-requests', app.people.ada, '/', async ({ page }) => {
      for (const [path, early] of [
        [`/spaces/${space.id}`, [`/spaces/${space.id}/${list}`, `/spaces/${space.id}`]],
        ['/fqdns', [`/${list}`]],
      ] as const) {
        const wanted = ['/auth/me', '/changes', ...early, '/providers'];
        const asked = await noteAsked(page);
        const arrived = Promise.all(
          wanted.map((one) => page.waitForResponse((response) => response.url() === `${stage.url}${one}`)),
        );
        await holdScripts(page, () => arrived);
        await page.goto(`${stage.url}/ui${path}`);
        await page.getByRole('table').getByRole('link', { name: 'early.example.org' }).waitFor();
        await page.waitForLoadState('networkidle');
        expect(asked.filter((one) => wanted.some((early) => early === one)).sort()).toEqual(
          [...wanted].sort(),
        );
        await page.unroute('**/assets/index-*.js');
      }
    });
  });

  test('are sent again by the page if they fail', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Team of a broken line');
    await addFqdn(app, space.id, 'again.example.org');
    await stage.play('first-requests-fail', app.people.ada, '/', async ({ page }) => {
      const failed: string[] = [];
      for (const part of ['/auth/me', '/fqdns?']) {
        await page.route(
          (url) => url.href.includes(part) && !failed.includes(part),
          (route) => {
            failed.push(part);
            return route.abort('connectionreset');
          },
        );
      }
      await page.goto(`${stage.url}/ui/spaces/${space.id}`);
      await page.getByRole('table').getByRole('link', { name: 'again.example.org' }).waitFor();
      // both are sent at once, so that either may be the first to fail
      expect(failed.toSorted()).toEqual(['/auth/me', '/fqdns?']);
    });
  });

  test('ask without a session only who the user is', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Team of others');
    await stage.play('first-requests-out', app.people.ada, '/', async ({ page }) => {
      await page.context().clearCookies();
      const asked = await noteAsked(page);
      const path = `/ui/spaces/${space.id}`;
      await page.goto(`${stage.url}${path}`);
      await page.getByLabel('User name').waitFor();
      expect(asked.filter((one) => !one.startsWith('/auth/state'))).toEqual(['/auth/me']);
      await page.getByLabel('User name').fill(app.people.ada.username);
      await page.getByLabel('Password', { exact: true }).fill(app.people.ada.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Team of others' }).waitFor();
    });
  });
});
