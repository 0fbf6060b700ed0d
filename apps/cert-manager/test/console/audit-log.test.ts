import { readFileSync } from 'node:fs';
import { assertFocusReturns, hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addSpace, auditEntries } from '../support/inventory.js';

(hasBrowser() ? describe : describe.skip)('the page of the audit log', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows who did what, by subject and user', async () => {
    const { app } = stage;
    const { id } = await addSpace(app, 'Earlier name');
    await app.request
      .put(`/spaces/${id}`)
      .set(app.people.ada.auth)
      .send({ name: 'Audited space' })
      .expect(200);
    await stage.play('audit', app.people.ada, '/audit', async ({ page, look }) => {
      await page.clock.install();
      await page.reload();
      const table = page.getByRole('table', { name: 'Audit log' });
      await table.getByText('ada created the space Earlier name').waitFor();
      const subjects = page.getByRole('navigation', { name: 'Subjects' });
      await subjects.getByRole('link', { name: 'Spaces' }).click();
      await table.getByText('ada signed in').first().waitFor({ state: 'detached' });
      await table.getByRole('link', { name: 'Audited space' }).waitFor();
      const shown = await table.getByRole('rowheader').count();
      await assertFocusReturns(page, ['Details']);
      await page.getByRole('button', { name: 'Details' }).first().click();
      await page.getByRole('dialog').getByText('Request id').waitFor();
      const changes = page.getByRole('dialog').getByRole('table', { name: 'Changes' });
      expect(await changes.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
        'Earlier name',
        'Audited space',
      ]);
      await look('details');
      await page.keyboard.press('Escape');
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Export as JSON Lines' }).click();
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\n');
      // of the subject that is shown
      expect(new Set(lines.map((line) => JSON.parse(line).action))).toEqual(
        new Set(['space.create', 'space.update']),
      );
      // what comes in the meantime waits, so that no row moves
      await page.clock.fastForward(6_000);
      await addSpace(app, 'Late space');
      await page.clock.fastForward(6_000);
      const news = page.getByRole('button', { name: 'Show 1 new entry' });
      await news.waitFor();
      expect(await table.getByRole('rowheader').count()).toBe(shown);
      await look('news');
      await news.click();
      await table.getByRole('link', { name: 'Late space' }).waitFor();
      await news.waitFor({ state: 'detached' });

      // a search for a text needs the first day
      await page.getByLabel('Text in the details').fill('Audited');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByLabel('First day').and(page.locator(':invalid')).waitFor();
      await page.getByLabel('First day').fill(app.clock.now().toISOString().slice(0, 10));
      await page.getByRole('button', { name: 'Filter' }).click();
      await table.getByRole('link', { name: 'Late space' }).waitFor({ state: 'detached' });
      await table.getByRole('link', { name: 'Audited space' }).waitFor();
      await page.getByLabel('User name').fill('cleo');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('heading', { name: 'There is no such entry' }).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await table.getByRole('link', { name: 'Late space' }).waitFor();

      await page.getByRole('button', { name: 'Clear the log…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Clear the audit log?' });
      expect(await dialog.getByRole('button', { name: 'Clear the log' }).isDisabled()).toBe(true);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(await auditEntries(app, 'space.create')).not.toHaveLength(0);
      await page.getByRole('button', { name: 'Clear the log…' }).click();
      await dialog.getByLabel('Type audit log to delete it').fill('audit log');
      await look('clear');
      await dialog.getByRole('button', { name: 'Clear the log' }).click();
      await page.getByText('The log was cleared 1 time').click();
      await page
        .getByRole('list', { name: 'Clearings' })
        .getByText(/: ada .*cleared \d+ entries\./)
        .waitFor();
      expect(await auditEntries(app, 'space.create')).toHaveLength(0);
    });
    await stage.play('audit-reader', app.people.ben, '/audit', async ({ page }) => {
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      await page.getByLabel('User name').waitFor();
      expect(await page.getByRole('button', { name: 'Clear the log…' }).count()).toBe(0);
    });
  });
});
