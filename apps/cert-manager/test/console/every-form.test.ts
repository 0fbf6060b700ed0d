import { assertLosesNothing, type FormStage, formsIn, hasBrowser, openPath } from '@certloop/browser';
import { findConsole } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeGroup } from '../support/access/groups.js';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { managerForms } from '../support/console-forms.js';
import { addUser } from '../support/factories.js';
import type { FormPlace } from '../support/forms/form-rows.js';
import { withKeys } from '../support/front/acme-clients.js';
import { addFqdn, addSpace } from '../support/inventory.js';
import { renewedFqdn } from '../support/renewals.js';
import { providerOf } from '../support/signing.js';

/** Forms that stand before any session, or that change only what is shown. */
const exempt = ['pages/audit/audit-filters.tsx 1', 'pages/welcome/welcome-page.tsx 1'];

(hasBrowser() ? describe : describe.skip)('every form of the console', () => {
  let stage: ConsoleStage;
  let place: FormPlace;
  beforeAll(async () => {
    stage = await startConsoleStage(withKeys);
    const { app, ca, close } = stage;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const fqdn = await renewedFqdn({ app, ca, providerId, close }, 'forms.example.org');
    place = {
      fqdn,
      goneFqdn: await addFqdn(app, fqdn.spaceId, 'gone.example.org'),
      goneSpaceId: (await addSpace(app, 'Old')).id,
      userId: (await addUser(app, { username: 'edith' })).id,
      goneUserId: (await addUser(app, { username: 'gone' })).id,
      goneGroupId: (await makeGroup(app, { name: 'Gone' })).id,
    };
  });
  afterAll(() => stage.close());

  test('is in the table of forms', async () => {
    const tables = await Promise.all(Object.values(managerForms).map((forms) => forms(place)));
    const sources = tables.flat().map(({ source }) => source);
    const folder = findConsole('@certloop/web-manager', import.meta.url) ?? '';
    expect([...sources, ...exempt].toSorted()).toEqual([...formsIn(folder)].toSorted());
  });

  test.each(Object.entries(managerForms))(
    'of %s keeps what was typed through an outage, the end of the session, and a deployment',
    async (about, formsOf) => {
      const { app } = stage;
      const { ada } = app.people;
      await stage.play(`forms-of-${about.replace(' ', '-')}`, ada, '/account', async ({ page, openTab }) => {
        const tab = await openTab();
        await tab.goto(`${stage.url}/health`);
        const forms: FormStage = {
          page,
          tab,
          account: {
            channel: 'certloop-manager',
            path: '/auth/',
            credentials: { username: ada.username, password: ada.password },
          },
          password: ada.password,
          unopened: { path: '/ui/statistics', part: 'statistics-page' },
          endSessions: () => app.clock.advance(31 * 60_000),
        };
        for (const row of await formsOf(place)) await assertLosesNothing(forms, row);
      });
    },
  );

  test('keeps what was typed while another tab belongs to another user, and sends nothing as that user', async () => {
    const { app, url } = stage;
    const { ben, cleo } = app.people;
    const group = await makeGroup(app, { name: 'Accounts', userIds: [ben.id] });
    await app.request.put(`/users/${ben.id}`).set(app.people.ada.auth).send({ isAdmin: true }).expect(200);
    await stage.play('other-user', ben, `/groups/${group.id}`, async ({ page, openTab, look }) => {
      const name = page.getByLabel('Name', { exact: true });
      await name.fill('Books');
      const tab = await openTab();
      await tab.goto(`${url}/ui/account`);
      await tab.getByRole('button', { name: 'Menu of ben' }).click();
      await tab.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You signed out in another tab' }).waitFor();
      await tab.getByLabel('User name').fill(cleo.username);
      await tab.getByLabel('Password', { exact: true }).fill(cleo.password);
      await tab.getByRole('button', { name: 'Sign in' }).click();
      const dialog = page.getByRole('dialog', { name: 'Another user has signed in' });
      await dialog.getByText('Another tab of this browser belongs to cleo now.').waitFor();
      await look('dialog');
      await page.getByRole('button', { name: 'Save the group' }).dispatchEvent('click');
      await page.getByRole('main').getByRole('alert').getByText(/\w/).first().waitFor();
      expect(await name.inputValue()).toBe('Books');
      await dialog.getByLabel('Password', { exact: true }).fill(ben.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await name.inputValue()).toBe('Books');
      await page.getByRole('button', { name: 'Save the group' }).click();
      await page.getByText('The group is saved.').waitFor();
      await tab.getByRole('button', { name: 'Continue as ben without it' }).click();
      await tab.getByRole('button', { name: 'Menu of ben' }).waitFor();
      await openPath(page, '/ui/groups');
      await page.getByRole('link', { name: 'Books' }).waitFor();
    });
  });
});
