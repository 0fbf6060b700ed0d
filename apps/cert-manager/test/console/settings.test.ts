import { assertFits, assertFocusReturns, hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { grant } from '../support/factories.js';
import { addSpace } from '../support/inventory.js';
import { picture } from '../support/pictures.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

const longHost = `${'a-very-long-label-of-a-name.'.repeat(8)}example.org`;

(hasBrowser() ? describe : describe.skip)('pages of providers, spaces and the own account', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('configures, tests and disables a provider', async () => {
    const { app } = stage;
    await stage.play('providers', app.people.ada, '/providers', async ({ page, look }) => {
      await page.getByRole('button', { name: 'Test Dummy certificate authority' }).click();
      await page.getByText('succeeded').waitFor();
      await look('list');
      await assertFocusReturns(page, ['Configure Dummy certificate authority']);
      await page.getByRole('button', { name: 'Configure Dummy certificate authority' }).click();
      const address = page.getByLabel('Address', { exact: true });
      const good = await address.inputValue();
      await address.fill('ftp://nowhere');
      await page.getByRole('button', { name: 'Save the configuration' }).click();
      await page.locator('[aria-invalid=true]').waitFor();
      await look('fault');
      await address.fill(good);
      await page.getByLabel('Days until a certificate expires').fill('30');
      await page.getByRole('button', { name: 'Save the configuration' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect((await providerOf(app, 'dummy-ca')).config).toMatchObject({ validityDays: 30, baseUrl: good });
      await page.getByText('succeeded').waitFor({ state: 'detached' });
      await page.getByText('not tested as configured').first().waitFor();

      await page.getByRole('button', { name: 'Create a provider' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('acme-staging');
      await dialog.getByLabel('Address of the directory').fill('https://ca.example.org/directory');
      await dialog.getByLabel('How the CA sees that a name is yours').selectOption('dns-01');
      await dialog.getByLabel('Address of the webhook or the name server').fill('dns://192.0.2.1');
      await dialog.getByLabel('I agree to the terms of service of the CA').check();
      await dialog.getByRole('button', { name: 'Create the provider' }).click();
      await dialog.locator('[aria-invalid=true]').waitFor();
      await look('dns-fault');
      await dialog
        .getByLabel('Address of the webhook or the name server')
        .fill('https://dns.example.org/hook');
      await dialog.getByRole('button', { name: 'Create the provider' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('region', { name: 'acme-staging' }).waitFor();
      expect((await providerOf(app, 'acme-staging')).config).toMatchObject({
        challenge: { type: 'dns-01', dns: { kind: 'webhook', url: 'https://dns.example.org/hook' } },
      });
      await fqdnWithCsr(app, longHost).then(async ({ fqdn }) => {
        await app.request
          .put(`/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`)
          .set(app.people.ada.auth)
          .send({ providerId: (await providerOf(app, 'dummy-ca')).id })
          .expect(200);
      });
      await page.getByRole('link', { name: 'Dummy certificate authority' }).click();
      const settings = page.getByRole('region', { name: 'Settings' });
      await settings.getByText('Days until a certificate expires').waitFor();
      await settings.getByText('30', { exact: true }).waitFor();
      const asking = page.getByRole('table', { name: 'Names that ask it next' });
      await asking.getByRole('link', { name: longHost }).waitFor();
      await asking.getByRole('link', { name: 'space' }).waitFor();
      await look('one');
      await page.getByRole('link', { name: 'Providers' }).last().click();
      // the switch moves before the service has answered
      const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
      await page.getByLabel('enabled: Dummy certificate authority').click();
      await page.getByLabel('disabled: Dummy certificate authority').waitFor();
      await stored;
      expect((await providerOf(app, 'dummy-ca')).enabled).toBe(false);
    });
  });

  test('shows a rejected value at its field, and keeps what was typed while the service is away', async () => {
    const { ada } = stage.app.people;
    const forms = [
      { path: '/spaces', open: 'Create a space', field: 'Name', value: ' ', submit: 'Create the space' },
      { path: '/account', open: 'Create a token', field: 'Name', value: ' ', submit: 'Create the token' },
    ];
    await stage.play('forms', ada, '/spaces', async ({ page }) => {
      let isAway = false;
      await page.route('**', (route) =>
        isAway && route.request().method() === 'POST' ? route.abort() : route.continue(),
      );
      for (const { path, open, field, value, submit } of forms) {
        await page.goto(`${stage.url}/ui${path}`);
        await page.getByRole('button', { name: open }).click();
        const input = page.getByLabel(field, { exact: true });
        await input.fill(value);
        isAway = true;
        await page.getByRole('button', { name: submit }).click();
        await page.getByRole('alert').getByText('The service does not answer').waitFor();
        expect(await input.inputValue()).toBe(value);
        isAway = false;
        await page.getByRole('button', { name: submit }).click();
        await input.and(page.locator('[aria-invalid=true]')).waitFor();
        expect(await input.inputValue()).toBe(value);
      }
    });
  });

  test('shows a few spaces as cards, and more than twelve as a table', async () => {
    const { app } = stage;
    const long = `${'خدمة '.repeat(5)}🚀 ${'a-long-name-'.repeat(5)}`;
    for (const name of [long, ...Array.from({ length: 10 }, (_, number) => `Team ${number}`)]) {
      await addSpace(app, name);
    }
    await stage.play('few-spaces', app.people.ada, '/spaces', async ({ page, look }) => {
      const card = page.getByRole('region', { name: 'Team 9' });
      await card.getByText('FULL_ACCESS').waitFor();
      await look('cards');
      await assertFits(page);
      expect(await page.getByRole('table').count()).toBe(0);
      for (const name of ['Other 1', 'Other 2']) await addSpace(app, name);
      await page.reload();
      await page.getByRole('table', { name: 'Spaces' }).getByRole('rowheader', { name: long }).waitFor();
      await look('table');
      await page.getByLabel('Search spaces').fill('TEAM 9');
      await page.getByRole('button', { name: 'Search' }).click();
      await card.waitFor();
      await page.getByText('1 space', { exact: true }).waitFor();
    });
  });

  test('uploads and removes the own picture, and stores density and time zone in the browser', async () => {
    const { app } = stage;
    const { cleo } = app.people;
    const avatarPath = `/users/${cleo.id}/avatar`;
    const { username, password } = cleo;
    const other = await app.request.post('/auth/login').send({ username, password }).expect(200);
    const cookie = String(other.headers['set-cookie']).split(';')[0] ?? '';
    await stage.play('own-account', cleo, '/account', async ({ page, openTab, look }) => {
      const file = page.getByLabel('Picture file');
      const send = (name: string, buffer: Buffer) =>
        file.setInputFiles({ name, mimeType: 'image/png', buffer });
      await page.getByRole('button', { name: 'Upload a picture' }).waitFor();
      await send('me.png', Buffer.from('no picture'));
      await page.getByRole('alert').getByText('PNG, JPEG or WebP').waitFor();
      await send('me.png', await picture('png', 40, 20));
      await page.getByRole('button', { name: 'Replace the picture' }).waitFor();
      await app.request.get(avatarPath).set(cleo.auth).expect(200);
      await page.locator('img.cl-avatar').waitFor();
      await look('picture');

      const rowHeight = (one: { evaluate(script: string): Promise<unknown> }) =>
        one.evaluate(`document.querySelector('.cl-table th').getBoundingClientRect().height`);
      expect(await rowHeight(page)).toBe(36);
      await page.getByRole('radio', { name: 'Compact' }).check();
      expect(await rowHeight(page)).toBe(30);
      await look('compact');
      await page.getByRole('radio', { name: 'Roomy' }).check();
      await page.getByRole('radio', { name: 'UTC' }).check();
      const tab = await openTab();
      await tab.goto(page.url());
      await tab.getByRole('table', { name: 'API tokens' }).waitFor();
      expect(await rowHeight(tab)).toBe(44);
      expect(await tab.getByRole('radio', { name: 'UTC' }).isChecked()).toBe(true);
      await tab.close();

      await app.request.get('/auth/me').set('Cookie', cookie).expect(200);
      await page.getByRole('button', { name: 'End it' }).click();
      await page.getByRole('button', { name: 'End it' }).waitFor({ state: 'detached' });
      await app.request.get('/auth/me').set('Cookie', cookie).expect(401);

      await page.getByRole('button', { name: 'Remove the picture' }).click();
      await page.getByRole('button', { name: 'Upload a picture' }).waitFor();
      expect(await page.locator('img.cl-avatar').count()).toBe(0);
      await app.request.get(avatarPath).set(cleo.auth).expect(404);
    });
  });

  test('creates a token that works and is shown once, revokes it, and changes the password', async () => {
    const { app } = stage;
    const { ben } = app.people;
    const [reached, other] = [await addSpace(app, 'Reached by ci'), await addSpace(app, 'Closed to ci')];
    await grant(app, ben, 'READ', [reached.id, other.id]);
    await stage.play('account', ben, '/account', async ({ page, look }) => {
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByLabel('Name').fill('ci-1');
      expect(await page.getByLabel('Scope').locator('option').allInnerTexts()).not.toContain('ADMIN');
      await page.getByLabel('Expires').selectOption('in 7 days');
      await page.getByRole('checkbox', { name: reached.name }).check();
      await page.getByText('The token reaches only these spaces').waitFor();
      await look('new-token');
      await page.getByRole('button', { name: 'Create the token' }).click();
      const token = await page.getByRole('dialog').getByText(/^cmt_/).textContent();
      const spaces = await app.request.get('/spaces').set('Authorization', `Bearer ${token}`).expect(200);
      expect(spaces.body).toMatchObject([{ id: reached.id }]);
      await page.keyboard.press('Escape');
      await page.getByRole('rowheader', { name: 'ci-1' }).waitFor();
      await page.getByRole('row', { name: 'ci-1' }).getByText(reached.name).waitFor();
      await page.getByRole('row', { name: 'test' }).getByText('all', { exact: true }).waitFor();
      // its end is near
      await page.getByRole('row', { name: 'ci-1' }).locator('[data-tone="warn"]').waitFor();
      await look('tokens');
      await assertFocusReturns(page, ['Create a token', 'Revoke ci-1']);
      await page.getByRole('button', { name: 'Revoke ci-1' }).click();
      await page.getByRole('button', { name: 'Revoke the token' }).click();
      await page.getByRole('rowheader', { name: 'ci-1' }).waitFor({ state: 'detached' });
      await app.request.get('/auth/me').set('Authorization', `Bearer ${token}`).expect(401);

      // the sign-in was some time ago, so the form asks for the password
      app.clock.advance(11 * 60_000);
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByLabel('Name').fill('ci-2');
      expect(await page.getByLabel('Your password').count()).toBe(0);
      const create = page.getByRole('button', { name: 'Create the token' });
      await create.click();
      const password = page.getByLabel('Your password', { exact: true });
      await password.fill('wrong');
      await look('token-password');
      await create.click();
      await password.and(page.locator('[aria-invalid=true]')).waitFor();
      await page.getByText('Is not your password.').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('ci-2');
      await password.fill(ben.password);
      await create.click();
      const late = await page.getByRole('dialog').getByText(/^cmt_/).textContent();
      const callWith = (secret: string | null) =>
        app.request.get('/spaces').set('Authorization', `Bearer ${secret}`);
      await callWith(late).expect(200);
      await page.keyboard.press('Escape');
      await page.getByRole('rowheader', { name: 'ci-2' }).waitFor();

      await page.getByLabel('Current password').fill('wrong');
      await page.getByLabel('New password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByLabel('Current password').and(page.locator('[aria-invalid=true]')).waitFor();
      await page.getByText('Is not the current password.').waitFor();
      await page.getByLabel('Current password').fill(ben.password);
      await page.getByRole('checkbox', { name: 'Revoke all your API tokens too' }).check();
      await look('revoke-tokens');
      await page.getByRole('button', { name: 'Change the password' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await callWith(late).expect(401);
    });
  });
});
