import { hasBrowser, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addUser } from '../support/factories.js';
import { addFqdn, addSpace } from '../support/inventory.js';
import { renewedFqdn } from '../support/renewals.js';
import { configure, providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('what stands in the place of data that is on its way', () => {
  let stage: ConsoleStage;
  let spaceId: string;
  let userId: string;
  beforeAll(async () => {
    stage = await startConsoleStage();
    spaceId = (await addSpace(stage.app, 'Shop')).id;
    for (let number = 1; number <= 12; number += 1) {
      await addFqdn(stage.app, spaceId, `shop${number}.example.org`);
    }
    userId = (await addUser(stage.app, { username: 'edith' })).id;
  });
  afterAll(() => stage.close());

  /** Vertical places of what a page shows, by the texts of the elements. */
  const placesOf = (page: Story['page'], selector: string) =>
    page.evaluate<readonly (readonly [string, number])[]>(
      `[...document.querySelectorAll('${selector}')].map((one) => [one.textContent.replace(/ [↑↓]/, ''), one.getBoundingClientRect().y])`,
    );

  /** Opens a page whose data is held back until its place was measured. */
  async function measure(
    page: Story['page'],
    path: string,
    request: string | RegExp,
    selector: string,
    ready: () => Promise<void> = async () => undefined,
  ) {
    let answer = () => {};
    const measured = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(request, async (route) => {
      await measured;
      await route.continue();
    });
    await page.goto(`${stage.url}/ui${path}`);
    const waiting = page.getByRole('status', { name: 'Loading' }).first();
    await waiting.waitFor();
    await ready();
    const before = await placesOf(page, selector);
    return {
      before,
      after: async () => {
        answer();
        await waiting.waitFor({ state: 'detached' });
        await page.unroute(request);
        return placesOf(page, selector);
      },
    };
  }

  test('looks like the rows of a table, which take its place without a jump', async () => {
    await stage.play('waiting-rows', stage.app.people.ada, '/account', async ({ page, look }) => {
      for (const [path, request] of [
        [`/spaces/${spaceId}`, `**/spaces/${spaceId}/fqdns?*`],
        ['/users', '**/users?*'],
      ] as const) {
        const rows = 'main thead, main tbody tr:nth-child(-n+5)';
        const { before, after } = await measure(page, path, request, rows);
        await look('held');
        const shown = await after();
        expect(before).toHaveLength(6);
        expect(shown.length).toBeGreaterThan(3);
        expect(before[0]?.[0]).toBe(shown[0]?.[0]);
        const yOf = ([, y]: readonly [string, number]) => Math.round(y);
        expect(before.slice(0, shown.length).map(yOf)).toEqual(shown.map(yOf));
      }
    });
  });

  test('looks like the cards of the dashboard and of the statistics', async () => {
    const { app, ca, close } = stage;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 90 }).expect(200);
    // more than the chart shows by name
    for (let number = 1; number <= 13; number += 1) {
      await renewedFqdn({ app, ca, providerId, close }, `renewed${number}.example.org`);
    }
    const headings = 'main h1, main h2';
    const cards = /\/(fqdns\?|stats\/expiry|renewal-queue|watch|outlook)/;
    await stage.play('waiting-cards', app.people.ada, '/', async ({ page, look }) => {
      // what this browser showed last is what it expects
      await page.getByRole('region', { name: 'First steps' }).getByText('CHECK_MONITOR_URL').waitFor();
      const counted = page.getByRole('heading', { name: 'No name needs you' });
      for (const [path, ready] of [
        ['/', () => counted.waitFor()],
        ['/statistics', undefined],
      ] as const) {
        const { before, after } = await measure(page, path, cards, headings, ready);
        await look('held');
        expect(await page.locator('[role=status] [role=status]').count()).toBe(0);
        const shown = new Map(await after());
        expect(before.length).toBeGreaterThan(2);
        expect(before).toEqual(before.map(([title]) => [title, shown.get(title)]));
      }
      const { before, after } = await measure(page, '/', '**/fqdns/counts*', headings);
      const top = (places: typeof before) => places.map(([, y]) => y).slice(0, 3);
      expect(top(before)).toEqual(top(await after()));
    });
  });

  test('looks like the parts of a page about one thing', async () => {
    await stage.play('waiting-page', stage.app.people.ada, '/account', async ({ page, look }) => {
      const parts = 'main .cl-title, main .cl-column';
      const { before, after } = await measure(page, `/users/${userId}`, `**/users/${userId}?*`, parts);
      await look('held');
      const [title, ...columns] = (await after()).map(([, y]) => Math.round(y));
      expect(before.map(([, y]) => Math.round(y)).slice(0, 3)).toEqual([title, ...columns].slice(0, 3));
    });
  });
});
