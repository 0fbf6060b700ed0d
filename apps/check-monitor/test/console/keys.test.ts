import { hasBrowser, runStory } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, openConsole, signIn } from '../support/console.js';

(hasBrowser() ? describe : describe.skip)('a question about a key', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('follows what another tab does with the key', async () => {
    const email = 'petra@example.org';
    const { keys } = await stage.newOwner(email, 'Harbour');
    const url = `${stage.url}ui/projects/${keys.projectId}/settings`;
    await runStory(stage.browser, { name: 'keys', url }, async (story) => {
      const { page, look } = story;
      await page.clock.install();
      await signIn(story, email);
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await button('Replace the ping key').click();
      await page.getByRole('dialog', { name: 'Replace the ping key?' }).waitFor();
      const tab = await page.context().newPage();
      await tab.goto(url);
      await tab.getByRole('button', { name: 'Revoke the ping key' }).click();
      await tab.getByRole('button', { name: 'Revoke the key' }).click();
      await tab.getByRole('button', { name: 'Create the ping key' }).waitFor();
      await page.clock.fastForward(6_000);
      const dialog = page.getByRole('dialog', { name: 'Create the ping key?' });
      await dialog.getByText('The key is shown once.', { exact: true }).waitFor();
      await look('revoked');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });

      await button('Revoke the read-only key').click();
      await page.getByRole('dialog', { name: 'Revoke the read-only key?' }).waitFor();
      await tab.getByRole('button', { name: 'Revoke the read-only key' }).click();
      await tab.getByRole('button', { name: 'Revoke the key' }).click();
      await tab.getByRole('button', { name: 'Create the read-only key' }).waitFor();
      await page.clock.fastForward(6_000);
      await button('Create the read-only key').waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await tab.getByRole('button', { name: 'Create the read-only key' }).click();
      await tab.getByRole('button', { name: 'Create the key' }).click();
      await tab.getByText('Copy the key now').waitFor();
      await page.clock.fastForward(6_000);
      await button('Replace the read-only key').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    });
  });
});
