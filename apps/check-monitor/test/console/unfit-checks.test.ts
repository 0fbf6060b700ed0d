import { hasBrowser, runStory } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, openConsole, signIn } from '../support/console.js';
import { copyCheck } from '../support/copy-check.js';

(hasBrowser() ? describe : describe.skip)('checks that no longer match the filter', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('are not selected with all matching checks, and a change leaves them out', async () => {
    const email = 'olga@example.org';
    const { app, browser, url } = stage;
    const olga = await stage.newOwner(email, 'Filtered');
    const unfit = await olga.check({ name: 'A pinged one' });
    const fit = await olga.check({ name: 'B new one' });
    const other = await olga.check({ name: 'Part' });
    await app.database.transaction((tx) => copyCheck(tx, other.uuid, 900, '55555555'));
    const list = `${url}ui/projects/${olga.keys.projectId}?status=new&sort=name`;
    await runStory(browser, { name: 'unfit-checks', url: list }, async (story) => {
      const { page, look } = story;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const box = (name: string) => page.getByLabel(`Select ${name}`, { exact: true });
      await page.clock.setFixedTime(new Date());
      await signIn(story, email);
      await page.getByText('100 checks of 903', { exact: true }).waitFor();
      await page.getByLabel('Select all rows shown').check();
      await button('Select all 903 checks that match').click();
      await page.getByText('903 checks selected').waitFor();
      expect([await box('A pinged one').isChecked(), await box('B new one').isChecked()]).toEqual([
        true,
        true,
      ]);
      await button('Ping now: A pinged one').click();
      await button('1 row no longer fits. Sort anew').waitFor();
      expect([await box('A pinged one').isChecked(), await box('B new one').isChecked()]).toEqual([
        false,
        true,
      ]);
      await look('whole');
      await button('Pause').click();
      await page.getByText('902 checks were paused.').waitFor();
    });
    const statusOf = async ({ uuid }: { readonly uuid: string }) =>
      (await olga.get(`/checks/${uuid}`).expect(200)).body.status;
    expect([await statusOf(unfit), await statusOf(fit)]).toEqual(['up', 'paused']);
  });
});
