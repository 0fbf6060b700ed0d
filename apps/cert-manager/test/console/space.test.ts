import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addFqdn, pathOf } from '../support/inventory.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

// much else may run on the same machine
jest.setTimeout(60_000);

(hasBrowser() ? describe : describe.skip)('the page of a space', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows states, searches and sorts by the service, and follows what others change', async () => {
    const { app } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'valid.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    const long = `${'a-very-long-label-of-a-name.'.repeat(8)}example.org`;
    for (const name of ['b.example.org', 'c.example.org', 'd.example.org', 'e.example.org', long]) {
      await addFqdn(app, space.id, name);
    }
    await stage.play('space', app.people.ada, `/spaces/${space.id}`, async ({ page, look }) => {
      await page.clock.install();
      await page.reload();
      const table = page.getByRole('table', { name: 'Names' });
      await table.getByText('valid', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'unfinished 5' }).waitFor();
      await look('states');
      await page.getByRole('link', { name: 'valid 1' }).click();
      await table.getByRole('link', { name: 'b.example.org' }).waitFor({ state: 'detached' });
      expect(await table.getByRole('rowheader').count()).toBe(1);
      await page.getByRole('link', { name: 'All 6' }).click();
      await page.getByLabel('Search names').fill('C.EXAMPLE');
      await page.getByRole('button', { name: 'Search' }).click();
      await table.getByRole('link', { name: 'b.example.org' }).waitFor({ state: 'detached' });
      expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(['c.example.org']);
      await page.getByLabel('Search names').fill('');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByLabel('Order').selectOption('By name');
      await table.getByRole('rowheader').nth(1).getByText('b.example.org').waitFor();
      expect(page.url()).toContain('sort=fqdn');

      // the page knows where the log stands from its first poll
      await page.clock.fastForward(6_000);
      await addFqdn(app, space.id, 'new.example.org');
      const polled = page.waitForResponse(/\/changes\?since=/);
      await page.clock.fastForward(6_000);
      await polled;
      await table.getByRole('link', { name: 'new.example.org' }).waitFor();
      await page.getByRole('link', { name: 'Spaces' }).first().click();
      await page.getByRole('table', { name: 'Spaces' }).getByText('7 names').waitFor();
      await look('spaces');
    });
  });
});
