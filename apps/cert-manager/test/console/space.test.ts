import { readFileSync } from 'node:fs';
import { hasBrowser, type Story } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { holdBack } from '../support/hold-back.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { seedListed } from '../support/large-place.js';
import { configure, fqdnWithCsr, providerOf } from '../support/signing.js';

// much else may run on the same machine
jest.setTimeout(180_000);

(hasBrowser() ? describe : describe.skip)('the dashboard and the page of a space', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  /** Loads the dashboard anew, of which there is nothing but the title while what it needs is held back. */
  async function expectOnlyTitle(page: Story['page']): Promise<void> {
    await page.reload();
    await page.getByRole('heading', { name: 'Dashboard', exact: true }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Dashboard']);
  }

  test('leads from an empty dashboard to the first name', async () => {
    await stage.play('dashboard', stage.app.people.ada, '/', async ({ page, look }) => {
      await page.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await look('empty');
      // the dashboard of another tab shows something else: neither answers the other
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('heading', { name: 'Get your first certificate' }).waitFor();
      await page.evaluate(`void (window.heard = new Promise((resolve) =>
        addEventListener('storage', () => requestAnimationFrame(() => setTimeout(resolve, 0)), { once: true })))`);
      await other.evaluate("localStorage.setItem('certloop-dashboard', 'cards')");
      await page.evaluate('window.heard');
      expect(await page.evaluate("localStorage.getItem('certloop-dashboard')")).toBe('cards');
      await other.close();
      // also before it is known that there is no name, as in a browser that was never here
      await page.evaluate('localStorage.clear()');
      const counts = await holdBack(page, '**/fqdns/counts*');
      await expectOnlyTitle(page);
      counts.release();
      await page.getByRole('button', { name: 'Create a space' }).click();
      await page.getByLabel('Name').fill('First space');
      await page.getByRole('button', { name: 'Create the space' }).click();
      await page.getByRole('link', { name: 'Add a name to First space' }).click();
      await page.getByRole('heading', { name: 'This space has no name yet' }).waitFor();
    });
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

  test('adds a pasted list after a verdict on each name, also when the connection goes in between', async () => {
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

  test('shows what fails, what ends next, and what an outage means, in six requests', async () => {
    const { app, ca } = stage;
    // the service caches what it counted for the empty dashboard
    app.clock.advance(61_000);
    const { fqdn } = await fqdnWithCsr(app, 'failing.example.org');
    // enough names for a toolbar
    for (let number = 1; number <= 5; number += 1) {
      await addFqdn(app, fqdn.spaceId, `unfinished${number}.example.org`);
    }
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await configure(app, { id: providerId }, { baseUrl: ca.url, validityDays: 30 }).expect(200);
    ca.answer('with a certificate that is due');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    ca.answer('with a refusal');
    await app.request
      .put(pathOf(fqdn, 'renewal-enabled'))
      .set(app.people.ada.auth)
      .send({ renewalEnabled: true })
      .expect(200);
    await app.runRenewalJob();
    await stage.play('dashboard', app.people.ada, '/', async ({ page, look }) => {
      await page.getByRole('heading', { name: '1 name needs you' }).waitFor();
      const needs = page.getByRole('region', { name: 'What needs you' });
      await needs.getByText('The last renewal failed').waitFor();
      expect(await needs.getByRole('listitem').count()).toBe(1);
      await page.getByText(/ (It|1 of them) is failing\./).waitFor();
      await page.getByText(/If every CA stopped now/).waitFor();
      await page.getByRole('table', { name: 'Next renewals' }).getByText('failing.example.org').waitFor();
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps
        .getByRole('listitem')
        .filter({ hasNotText: 'done' })
        .getByText('CHECK_MONITOR_URL')
        .waitFor();
      expect(await steps.getByText('done').count()).toBe(4);
      await look('failing');
      await page.route('**/health', (route) => route.fulfill({ status: 400, body: '{}' }));
      await page.reload();
      await steps.getByText('The service answered with status 400.').waitFor();
      await page.unroute('**/health');
      await steps.getByRole('button', { name: 'Retry' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();
      await steps.getByRole('button', { name: 'Hide this list' }).click();
      await steps.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Show the first steps of a new installation').check();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();

      // a browser that was never here does not show a list of which all is done
      const monitor = { answers: true, since: app.clock.now().toISOString() };
      await page.route('**/health', (route) => route.fulfill({ json: { status: 'ok', monitor } }));
      await page.evaluate('localStorage.clear()');
      const renewals = await holdBack(page, '**/renewal-queue?*');
      await expectOnlyTitle(page);
      renewals.release();
      await needs.waitFor();
      expect(await steps.count()).toBe(0);
      // unless it is asked for
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByLabel('Show the first steps of a new installation').check();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await steps.getByText('CHECK_MONITOR_URL').waitFor();
      expect(await steps.getByText('done', { exact: true }).count()).toBe(5);
      await look('finished');
      await page.unroute('**/health');
      await steps.getByRole('button', { name: 'Hide this list' }).click();
      const asked: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (!/^\/(ui|auth|changes|health)/.test(pathname)) asked.push(pathname);
      });
      await page.reload();
      await page.getByRole('table', { name: 'Next renewals' }).getByText('failing.example.org').waitFor();
      await page.getByText(/If every CA stopped now/).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await steps.count()).toBe(0);
      expect(asked.sort()).toEqual([
        '/fqdns',
        '/fqdns/counts',
        '/outlook',
        '/providers',
        '/renewal-queue',
        '/stats/expiry',
      ]);
      // what counts something leads to the list of it
      const table = page.getByRole('table', { name: 'Names' });
      const states = page.getByRole('list', { name: 'Names by state' });
      const unfinished = (await states.getByRole('link', { name: /no certificate yet/ }).textContent()) ?? '';
      await states.getByRole('link', { name: '1 failing' }).click();
      await table.getByRole('link', { name: 'failing.example.org' }).waitFor();
      expect(await table.getByRole('rowheader').count()).toBe(1);
      await page.getByRole('link', { name: `no certificate yet ${Number.parseInt(unfinished, 10)}` }).click();
      await page.getByText(`${Number.parseInt(unfinished, 10)} names`, { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Statistics' }).click();
      await page.getByRole('button', { name: 'Count now' }).click();
      await page.getByRole('table', { name: 'Certificates by provider' }).getByText('dummy-ca').waitFor();
      await look('statistics');
      const soon = page.getByRole('link', { name: /^In use, expire within 30 days: / });
      const count = Number(((await soon.textContent()) ?? '').trim());
      await soon.click();
      await page.getByText(/^The certificate expires from .* on before /).waitFor();
      await page.getByText(count === 1 ? '1 name' : `${count} names`, { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('link', { name: /^All \d/ }).waitFor();
    });
  });

  test('shows 50,000 names by pages, sorts and searches by the service, and changes the selected ones', async () => {
    const { app, ca } = stage;
    const { space, fqdn } = await fqdnWithCsr(app, 'first.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    ca.answer('normally');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    await seedListed(app.database, fqdn.id, 49_999);
    // with those of the other stories more than are seen at once
    await addSpace(app, 'One more');
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
      expect(lines[0]).toMatch(/^name,space,description,state,/);
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
      await page.getByText(/^100 names of 5\d,\d{3}$/).waitFor();
      expect(await nodes()).toBeLessThan(1_500);
      await page.getByLabel('Select all rows shown').check();
      await page.getByRole('button', { name: /^Select all 5\d,\d{3} that match$/ }).click();
      await page.getByRole('button', { name: 'Set the provider' }).click();
      const other = page.getByRole('dialog', { name: 'Set the provider' });
      await other.getByLabel('Provider of the next certificate').selectOption('None');
      await other.getByText(/FQDNs match, and one call changes at most 5000/).waitFor();
    });
  });
});
