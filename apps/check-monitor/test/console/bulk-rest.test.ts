import { hasBrowser, runStory } from '@certloop/browser';
import type { CheckChange } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { Holder } from '../support/app.js';
import { type ConsoleStage, openConsole, signIn } from '../support/console.js';
import { copyCheck } from '../support/copy-check.js';

(hasBrowser() ? describe : describe.skip)('a change of many checks that stops half-way', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('continues only in its own project and dialog, with the initial number', async () => {
    const email = 'lena@example.org';
    const { app, browser, url } = stage;
    // its checks are older than those of the other project
    const small = await stage.newOwner(email, 'Small');
    const owner = { email, checkLimit: null, pingLimit: null };
    const large = new Holder(app.http, await setUpProject(app.accounts, owner, 'Large'));
    const few = await small.check({ name: 'Few' });
    await app.database.transaction((tx) => copyCheck(tx, few.uuid, 900, '33333333'));
    const many = await large.check({ name: 'Many' });
    await app.database.transaction((tx) => copyCheck(tx, many.uuid, 5_500, '44444444'));
    const list = `${url}ui/projects/${small.keys.projectId}`;
    await runStory(browser, { name: 'bulk-rest', url: list }, async (story) => {
      const { page, look } = story;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const dialog = page.getByRole('dialog');
      const sent: CheckChange[] = [];
      // the second request of a change does not arrive
      await page.route('**/checks/bulk', (route) => {
        sent.push(route.request().postDataJSON());
        return sent.length === 2 ? route.abort('connectionreset') : route.continue();
      });
      const selectAll = async (count: string) => {
        await page.getByLabel('Select all rows shown').check();
        await button(`Select all ${count} checks that match`).click();
        sent.length = 0;
      };
      await page.clock.setFixedTime(new Date());
      await signIn(story, email);
      await page.getByRole('heading', { name: '901 new' }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').fill('Large');
      await page.getByRole('option', { name: /Large/ }).click();
      await page.getByRole('heading', { name: '5,501 new' }).waitFor();

      await selectAll('5,501');
      await button('Pause').click();
      await button('Pause 5,501 checks').click();
      await dialog.getByText('5,000 of 5,501 checks are done.').waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: '901 new' }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await selectAll('901');
      await button('Pause').click();
      await page.getByText('901 checks were paused.').waitFor();
      expect(sent.map(({ after }) => typeof after)).toEqual(['undefined']);

      await page.goForward();
      await page.getByRole('heading', { name: '5,000 paused' }).waitFor();
      expect(await page.getByText('were paused').count()).toBe(0);
      await selectAll('5,501');
      await button('Pause').click();
      await button('Pause 5,501 checks').click();
      await button('Go on with 501 checks').waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await button('Pause').click();
      expect(await dialog.getByText('are done').count()).toBe(0);
      await button('Pause 5,501 checks').click();
      await page.getByText('501 checks were paused. 5,000 checks needed no change.').waitFor();
      expect(sent.map(({ after }) => typeof after)).toEqual(['undefined', 'number', 'undefined', 'number']);
      await button('Close').click();

      await selectAll('5,501');
      await button('Delete').click();
      await dialog.getByLabel('Type the number of checks to confirm: 5,501').fill('5501');
      await button('Delete 5,501 checks').click();
      await dialog.getByText('5,000 of 5,501 checks are done.').waitFor();
      await page.getByText('501 paused').first().waitFor();
      await dialog.getByLabel('Type the number of checks to confirm: 5,501').waitFor();
      await look('delete-lost');
      await button('Go on with 501 checks').click();
      await page.getByText('This project has no check yet').waitFor();
      await page.getByText('5,501 checks were deleted.').waitFor();
      expect(sent[2]).toEqual(sent[1]);
      expect(sent).toHaveLength(3);
    });
  });
});
