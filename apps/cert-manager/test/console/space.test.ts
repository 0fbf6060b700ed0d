import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { probing, startTlsServer, type TlsServer } from '../support/monitor/served-place.js';
import { elsewhere } from '../support/monitor/watched-servers.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('the page of a space', () => {
  let stage: ConsoleStage;
  let server: TlsServer;
  beforeAll(async () => {
    server = await startTlsServer({});
    stage = await startConsoleStage(probing(server.port));
  });
  afterAll(async () => {
    await stage.close();
    await server.close();
  });

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
      await page.getByRole('link', { name: 'no certificate yet 5' }).waitFor();
      const needy = table.getByRole('row').filter({ hasText: 'b.example.org' });
      await needy.getByText('needs a CSR', { exact: true }).waitFor();
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
      await page.getByLabel('Provider').selectOption('Dummy certificate authority');
      await page.getByText('1 name', { exact: true }).waitFor();
      await page.getByLabel('Expiry').selectOption('Expires within 30 days');
      await page.getByRole('heading', { name: 'No name matches' }).waitFor();
      expect(page.url()).toContain('expiresBefore=');
      await page.getByLabel('Expiry').selectOption('Any expiry');
      await table.getByRole('link', { name: 'valid.example.org' }).waitFor();
      await page.getByLabel('Provider').selectOption('Any provider');
      await table.getByRole('link', { name: 'b.example.org' }).waitFor();

      // the page knows where the log stands from its first poll
      await page.clock.fastForward(6_000);
      const added = await addFqdn(app, space.id, 'new.example.org');
      const polled = page.waitForResponse(/\/changes\?since=/);
      await page.clock.fastForward(6_000);
      expect((await (await polled).body()).length).toBeLessThan(1_000);
      await table.getByRole('link', { name: 'new.example.org' }).waitFor();
      expect(await table.locator('[data-changed]').count()).toBe(0);
      // no row jumps under the pointer
      const lastNames = async () => (await table.getByRole('rowheader').allInnerTexts()).slice(-2);
      expect(await lastNames()).toEqual(['valid.example.org', 'new.example.org']);
      await look('moved');
      const moved = page.getByRole('button', { name: '1 row moved. Sort anew' });
      await moved.click();
      await moved.waitFor({ state: 'detached' });
      expect(await lastNames()).toEqual(['new.example.org', 'valid.example.org']);
      // what is deleted does not stay in its place
      await app.request.delete(`/spaces/${space.id}/fqdns/${added.id}`).set(app.people.ada.auth).expect(200);
      await page.clock.fastForward(6_000);
      await table.getByRole('link', { name: 'new.example.org' }).waitFor({ state: 'detached' });
      await app.request
        .put(pathOf(fqdn, 'renewal-enabled'))
        .set(app.people.ada.auth)
        .send({ renewalEnabled: true })
        .expect(200);
      await page.clock.fastForward(6_000);
      const changed = table.getByRole('row').filter({ has: page.locator('[data-changed]') });
      await changed.first().waitFor();
      expect(await changed.getByRole('rowheader').allInnerTexts()).toEqual(['valid.example.org']);
      await page.getByRole('link', { name: 'Spaces' }).first().click();
      // a card for each of a few spaces
      const card = page.getByRole('region', { name: space.name, exact: true });
      await card.getByText('6 names').waitFor();
      await card.getByText('FULL_ACCESS').waitFor();
      await look('spaces');
    });
  });

  test('adds a pasted list after a check of each name, even if the connection breaks in between', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'New team');
    await addFqdn(app, space.id, 'stored.example.org');
    const names = Array.from({ length: 12 }, (_, number) => `n${number}.example.org`);
    const pasted = ['STORED.example.org', 'bücher.example', 'xn--bcher-kva.example', '*.*.bad', ...names];
    await stage.play('paste', app.people.ada, `/spaces/${space.id}`, async ({ page, look }) => {
      await page.getByRole('link', { name: 'Paste a list of names' }).click();
      await page.getByLabel('Host names').fill(pasted.join('\n'));
      await page.getByRole('button', { name: 'Check 16 names' }).click();
      const result = page.getByRole('region', { name: 'Result' });
      await result
        .getByText('13 names can be added. 1 exists already. 1 is repeated. 1 is refused.')
        .waitFor();
      await result.getByText('Is the same name as number 2 of the list.').waitFor();
      const stored = async () => {
        const { headers } = await app.request
          .get(`/spaces/${space.id}/fqdns?limit=1`)
          .set(app.people.ada.auth);
        return Number(headers['x-total-count']);
      };
      expect(await stored()).toBe(1);
      await look('verdicts');
      let sent = 0;
      await page.route(`**/spaces/${space.id}/fqdns`, (route) => {
        sent += 1;
        return sent > 5 ? route.abort('connectionreset') : route.continue();
      });
      await result.getByRole('button', { name: 'Add 13 names' }).click();
      const goOn = result.getByRole('button', { name: 'Go on with 8 names' });
      await goOn.waitFor();
      await result.getByText('8 names are not added yet').waitFor();
      await look('interrupted');
      await page.unroute(`**/spaces/${space.id}/fqdns`);
      await goOn.click();
      await result.getByText('13 names were added.').waitFor();
      expect(await stored()).toBe(14);
      await result.getByRole('link', { name: 'Show the names of the space' }).click();
      await page.getByRole('link', { name: 'no certificate yet 14' }).waitFor();
    });
  });

  test('watches a pasted list of servers, and shows whose renewal their names are', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Watched team');
    server.reload((await elsewhere(app, 'www.watched.test')).full);
    const at = `127.0.0.1:${server.port}`;
    const pasted = [
      `${at} www.watched.test # ours`,
      '',
      'https://old.watched.test',
      '127.0.0.1:1 closed.watched.test',
    ];
    await stage.play('watch', app.people.ada, `/spaces/${space.id}`, async ({ page, look }) => {
      await page.getByRole('link', { name: 'Watch servers' }).click();
      await page.getByRole('heading', { name: 'Watch servers' }).waitFor();
      const list = page.getByLabel('Servers', { exact: true });
      await list.fill(pasted.join('\n'));
      await page.getByText('1 line is not understood. Correct it first:').waitFor();
      await page.getByText('Line 3,').waitFor();
      const watch = page.getByRole('button', { name: 'Watch 2 servers' });
      expect(await watch.isDisabled()).toBe(true);
      await look('bad-line');
      await list.fill(pasted.filter((line) => !line.startsWith('https')).join('\n'));
      // by keyboard alone: the button follows the list
      await list.press('Tab');
      await page.keyboard.press('Enter');
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByText('1 server is watched. 1 is refused.').waitFor();
      await result.getByText('watched', { exact: true }).waitFor();
      await look('result');
      await result.getByRole('link', { name: 'Show the names of the space' }).click();
      const row = page
        .getByRole('table', { name: 'Names' })
        .getByRole('row')
        .filter({ hasText: 'www.watched.test' });
      await row.getByText('elsewhere', { exact: true }).waitFor();
      await row.getByText('Foreign CA').waitFor();
      await look('names');
      await page.getByRole('link', { name: 'What do I have?' }).click();
      await page.getByRole('link', { name: 'elsewhere: 1 name' }).waitFor();
      await look('inventory');
      await page.getByRole('link', { name: 'elsewhere: 1 name' }).click();
      await page.getByRole('heading', { name: 'Names' }).waitFor();
      expect(page.url()).toContain('renewedBy=elsewhere');
      await page.getByText('www.watched.test').first().waitFor();
    });
  });
});
