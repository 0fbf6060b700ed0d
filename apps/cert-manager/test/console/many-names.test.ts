import { readFileSync } from 'node:fs';
import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { holdBack } from '../support/hold-back.js';
import { addSpace, pathOf } from '../support/inventory.js';
import { seedListed } from '../support/large-place.js';
import { switchRenewal } from '../support/renewals.js';
import { configure, fqdnWithCsr, providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('the page of a space of very many names', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows 50,000 names by pages, sorts and searches by the service, and changes the selected ones', async () => {
    const { app, ca } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'first.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    await seedListed(app.database, fqdn.id, 49_999);
    // more than are seen at once
    for (const name of ['Team 1', 'Team 2', 'Team 3', 'Team 4', 'One more']) await addSpace(app, name);
    await stage.play('many-names', app.people.ada, `/spaces/${space.id}`, async ({ page, look }) => {
      // what the first visit asks must not count as what the reload asks
      await page.getByText('100 names of 50,000').waitFor();
      await page.waitForLoadState('networkidle');
      const asked: URL[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.pathname === `/spaces/${space.id}/fqdns`) asked.push(url);
      });
      const table = page.getByRole('table', { name: 'Names' });
      const nodes = () => page.evaluate('document.querySelectorAll("*").length');
      const firstPage = page.waitForResponse((response) => response.url().includes(`${space.id}/fqdns?`));
      await page.reload();
      await page.getByText('100 names of 50,000').waitFor();
      await page.waitForLoadState('networkidle');
      expect(asked).toHaveLength(1);
      expect((await (await firstPage).body()).length).toBeLessThanOrEqual(80_000);
      expect(await nodes()).toBeLessThan(1_500);
      expect(await table.getAttribute('aria-rowcount')).toBe('50001');
      await look('first');
      for (const [title, sort] of [
        ['Name', 'fqdn'],
        ['Expires', 'expiresAt'],
        ['Renewal', 'renewAt'],
        ['State', 'attention'],
      ]) {
        const answer = page.waitForResponse((response) => response.url().includes(`sort=${sort}`));
        await table.getByRole('button', { name: title ?? '', exact: true }).click();
        if (sort !== 'attention') await answer;
        await table.locator('th[aria-sort="ascending"]', { hasText: title ?? '' }).waitFor();
      }
      // the end of the page brings the next one
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      await page.getByText('200 names of 50,000').waitFor();
      expect(asked.at(-1)?.searchParams.get('cursor')).toEqual(expect.any(String));
      expect(await nodes()).toBeLessThan(1_500);

      await page.getByLabel('Search names').fill('HOST-1234');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('11 names', { exact: true }).waitFor();
      const link = table.getByRole('link', { name: 'host-12345.example.test' });
      const opened = page.context().waitForEvent('page');
      await link.click({ modifiers: ['ControlOrMeta'] });
      const tab = await opened;
      await tab.getByRole('heading', { name: 'host-12345.example.test' }).waitFor();
      await tab.close();
      await page.evaluate('window.isSamePage = true');
      await link.click();
      await page.getByRole('heading', { name: 'host-12345.example.test' }).waitFor();
      expect(await page.evaluate('window.isSamePage')).toBe(true);
      await page.goBack();
      await page.getByText('11 names', { exact: true }).waitFor();
      expect(await page.getByLabel('Search names').inputValue()).toBe('HOST-1234');

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Export as CSV' }).click(),
      ]);
      const lines = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n');
      expect(lines).toHaveLength(12);
      expect(lines[0]).toMatch(/^name,space,description,owner,tags,state,/);
      expect(lines[1]).toMatch(/^host-1234\d?\.example\.test,space,/);

      await page.getByLabel('Select host-1234.example.test').check();
      await page.getByText('1 name selected').waitFor();
      await page.getByRole('button', { name: 'Select all 11 that match' }).click();
      await page.getByText('11 names selected').waitFor();
      await page.route('**/fqdns/bulk', (route) => route.abort(), { times: 1 });
      await page.getByRole('button', { name: 'Switch renewal on' }).click();
      const dialog = page.getByRole('dialog', { name: 'Switch renewal on' });
      await dialog.getByText('The service does not answer.').waitFor();
      await dialog.getByRole('button', { name: 'Try again' }).click();
      await dialog.getByText('11 names will be changed.').waitFor();
      await look('dry run');
      await dialog.getByRole('button', { name: 'Switch renewal on for 11 names' }).click();
      await dialog.getByText('11 names were changed.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await page.getByText('11 names selected').waitFor({ state: 'detached' });
      const query = { spaceId: space.id, renewal: 'on' };
      const { body } = await app.request.get('/fqdns').query(query).set(app.people.ada.auth).expect(200);
      expect(body).toHaveLength(11);

      await page.getByRole('link', { name: 'Spaces' }).first().click();
      await page.getByLabel('Search spaces').fill('ONE MO');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('1 space', { exact: true }).waitFor();
      await page.getByRole('region', { name: 'One more' }).waitFor();

      // a bar of the dashboard leads to the names that it counts
      // for some seconds the service repeats what it computed
      app.clock.advance(15_000);
      await page.getByRole('link', { name: 'Dashboard' }).click();
      const bar = page.getByRole('button', { name: /^Week of .*: \d/ }).last();
      const [, counts = ''] = ((await bar.getAttribute('aria-label')) ?? '').split(': ');
      const sum = (counts.match(/[\d,]+(?= )/g) ?? [])
        .map((text) => Number(text.replaceAll(',', '')))
        .reduce((total, count) => total + count, 0);
      await bar.press('Enter');
      await page.getByText(/^The certificate expires from .* on before /).waitFor();
      await page.getByText(`100 names of ${sum.toLocaleString('en')}`).waitFor();

      // all names of all spaces: what the service refuses is shown
      await page.getByRole('link', { name: 'Names', exact: true }).click();
      await page.getByText('100 names of 50,000').waitFor();
      expect(await nodes()).toBeLessThan(1_500);
      await page.getByLabel('Select all rows shown').check();
      await page.getByRole('button', { name: 'Select all 50,000 that match' }).click();
      await page.getByRole('button', { name: 'Set the provider' }).click();
      const other = page.getByRole('dialog', { name: 'Set the provider' });
      await other.getByLabel('Provider of the next certificate').selectOption('None');
      await other.getByText(/FQDNs match, and one call changes at most 5000/).waitFor();
    });
  });

  for (const isMoreFirst of [true, false]) {
    const order = isMoreFirst ? 'the next page and then a change' : 'a change and then the next page';
    test(`loads both when the reader asks for ${order} at once`, async () => {
      const { app } = stage;
      const { space, fqdn } = await fqdnWithCsr(app, `a.next-${isMoreFirst}.example.org`);
      await seedListed(app.database, fqdn.id, 189, isMoreFirst ? '0000001a' : '0000001b');
      const path = `/spaces/${space.id}?sort=fqdn`;
      await stage.play(`next-rows-${isMoreFirst}`, app.people.ada, path, async ({ page }) => {
        await page.clock.install();
        await page.reload();
        await page.getByText('100 names of 190', { exact: true }).waitFor();
        await page.clock.fastForward(6_000);
        await page.waitForLoadState('networkidle');
        const load = await holdBack(page, `**/fqdns?*${isMoreFirst ? 'cursor=*' : ''}`);
        const steps = [
          () => page.getByRole('button', { name: 'Show more' }).click(),
          async () => {
            await switchRenewal(app, fqdn, true);
            const loadedAgain = page.waitForRequest((request) =>
              /\/fqdns\?(?!.*cursor=)/.test(request.url()),
            );
            await page.clock.fastForward(6_000);
            await loadedAgain;
          },
        ];
        for (const step of isMoreFirst ? steps : steps.toReversed()) {
          await step();
          await load.isAsked;
        }
        load.release();
        await page.getByText('190 names', { exact: true }).waitFor();
        await page.getByRole('switch', { name: `Renew ${fqdn.fqdn} automatically`, checked: true }).waitFor();
      });
    });
  }

  test('loads the next page again after it could not be loaded', async () => {
    const { app } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'a.lost.example.org');
    await seedListed(app.database, fqdn.id, 189, '0000001c');
    const path = `/spaces/${space.id}?sort=fqdn`;
    await stage.play('next-page-lost', app.people.ada, path, async ({ page }) => {
      await page.clock.install();
      await page.reload();
      await page.getByText('100 names of 190', { exact: true }).waitFor();
      const nextPage = '**/fqdns?*cursor=*';
      let lost = 0;
      await page.route(nextPage, (route) => {
        lost += 1;
        return route.abort('connectionreset');
      });
      const more = page.getByRole('button', { name: 'Show more' });
      await more.click();
      const failure = page.getByText('The service does not answer.');
      while (!(await failure.isVisible())) await page.clock.fastForward(1_000);
      expect(lost).toBe(3);
      await page.getByText('100 names of 190', { exact: true }).waitFor();
      await page.unroute(nextPage);
      await more.click();
      await page.getByText('190 names', { exact: true }).waitFor();
    });
  });
});
