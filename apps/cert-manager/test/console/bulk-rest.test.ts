import { hasBrowser } from '@certloop/browser';
import type { FqdnChange } from '@certloop/contracts';
import { column, querySql } from '@certloop/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { seedListed } from '../support/large-place.js';
import { fqdnWithCsr } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('a change of many names that stops half-way', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('continues with the unchanged names, and changes none twice', async () => {
    const { app } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'first.example.org');
    await seedListed(app.database, fqdn.id, 1_199);
    // names that are changed leave this list
    const path = `/spaces/${space.id}?renewal=off`;
    await stage.play('bulk-rest', app.people.ada, path, async ({ page, look }) => {
      // the end of the page brings the next one
      const whole = page.getByText('1,200 names', { exact: true });
      while (!(await whole.isVisible())) {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      }
      await page.getByLabel('Select all rows shown').check();
      const sent: FqdnChange[] = [];
      let plans = 0;
      // the second request of the change is lost
      await page.route('**/fqdns/bulk', (route) => {
        const body: FqdnChange = route.request().postDataJSON();
        if (body.dryRun) plans += 1;
        else sent.push(body);
        return !body.dryRun && sent.length === 2 ? route.abort('connectionreset') : route.continue();
      });
      const lookedUp = new Set<string>();
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith(`/spaces/${space.id}/fqdns/`)) lookedUp.add(pathname);
      });
      await page.getByRole('button', { name: 'Switch renewal on' }).click();
      const dialog = page.getByRole('dialog', { name: 'Switch renewal on' });
      await dialog.getByRole('button', { name: 'Switch renewal on for 1,200 names' }).click();
      await dialog.getByText('1,000 of 1,200 names are done.').waitFor();
      await look('stopped');
      const asked = plans;
      await page.context().setOffline(true);
      await page.context().setOffline(false);
      await page.waitForLoadState('networkidle');
      await dialog.getByRole('button', { name: 'Go on with 200 names' }).click();
      await dialog.getByText('1,200 names were changed.').waitFor();
      expect(sent.map(({ ids }) => ids?.length)).toEqual([1_000, 200, 200]);
      expect(sent[2]).toEqual(sent[1]);
      expect(plans).toBe(asked);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('heading', { name: 'No name matches' }).waitFor();
      expect(lookedUp.size).toBeLessThanOrEqual(50);
    });
    const [entries] = await app.database.read((tx) =>
      querySql(
        tx,
        { entries: column.bigint(), names: column.bigint() },
        "select count(*) as entries, count(distinct resource_id) as names from audit_logs where action = 'fqdn.renewal'",
        [],
      ),
    );
    expect(entries).toEqual({ entries: 1_200, names: 1_200 });
  });

  test('shows on the page of a name what was changed there, without the feed of changes', async () => {
    const { app } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'shown.example.org');
    const path = `/spaces/${space.id}/fqdns/${fqdn.id}`;
    await stage.play('bulk-shown', app.people.ada, path, async ({ page }) => {
      await page.route('**/changes*', (route) => route.fulfill({ json: { seq: 1, changes: [] } }));
      const renewal = page.getByRole('switch', { name: 'Renew automatically' });
      await renewal.waitFor();
      const wasOn = await renewal.isChecked();
      await page.getByRole('link', { name: space.name, exact: true }).click();
      await page.getByLabel('Select all rows shown').check();
      const word = `Switch renewal ${wasOn ? 'off' : 'on'}`;
      await page.getByRole('button', { name: word }).click();
      const dialog = page.getByRole('dialog', { name: word });
      await dialog.getByRole('button', { name: `${word} for 1 name` }).click();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('link', { name: 'shown.example.org' }).click();
      await page.getByRole('switch', { name: 'Renew automatically', checked: !wasOn }).waitFor();
    });
  });
});
