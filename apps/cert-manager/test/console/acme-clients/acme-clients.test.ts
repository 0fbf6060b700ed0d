import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../../support/console.js';
import { grant } from '../../support/factories.js';
import { addAcmeClient, withKeys } from '../../support/front/acme-clients.js';
import { addServerAccount, addServerOrder } from '../../support/front/front-rows.js';
import { addFqdn, addSpace } from '../../support/inventory.js';

(hasBrowser() ? describe : describe.skip)('the ACME clients of a space', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage(withKeys);
  });
  afterAll(() => stage.close());

  test('are created with names, and end with commands that are filled in', async () => {
    const { app } = stage;
    const { ada } = app.people;
    const space = await addSpace(app, 'Shop');
    const path = `/spaces/${space.id}/acme-clients`;
    await stage.play('acme-clients', ada, `/spaces/${space.id}`, async ({ page, look }) => {
      await page.getByRole('link', { name: 'ACME clients' }).click();
      await page.getByRole('heading', { name: 'This space has no ACME client yet' }).waitFor();
      expect(await page.locator('main pre').textContent()).toContain(
        'certloop acme-clients create web-7 --space',
      );
      await look('none');
      await page.getByRole('button', { name: 'Create an ACME client' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('web-7');
      await dialog.getByRole('button', { name: 'Create the client' }).click();
      await dialog.getByRole('alert').getByText(/names/i).waitFor();
      await dialog.getByLabel('Domains').fill('shop.test');
      await look('form');
      await dialog.getByRole('button', { name: 'Create the client' }).click();
      await page.getByRole('heading', { name: 'Connect web-7' }).waitFor();
      const [client] = (await app.request.get(path).set(ada.auth).expect(200)).body;
      const key =
        (
          await page
            .getByText(/^[\w-]{43}( |$)/)
            .first()
            .textContent()
        )?.slice(0, 43) ?? '';
      const commands = page.getByRole('region', { name: 'Commands' });
      const shown = () => commands.locator('pre').allTextContents();
      expect((await shown()).join('\n')).toContain(`--eab-kid=${client.kid} --eab-hmac-key=${key}`);
      expect((await shown()).join('\n')).toContain('-d www.shop.test');
      await commands.getByLabel('Names of the certificate').fill('a.shop.test b.shop.test');
      await commands.getByLabel('ACME client').selectOption('Kubernetes (cert-manager)');
      expect((await shown()).join('\n')).toContain('    - "b.shop.test"');
      await commands.getByLabel('Names of the certificate').fill('a;b');
      await commands.getByText('"a;b" is not a host name').waitFor();
      expect(await shown()).toEqual([]);
      await commands.getByLabel('Names of the certificate').fill('www.shop.test');
      await look('commands');
      await page.getByRole('button', { name: 'Back to the list' }).click();
      await page.getByText('not used yet').waitFor();
      expect(await page.getByText(key).count()).toBe(0);
    });
  });

  test('are listed with who was seen when, and can be changed, rekeyed and deleted', async () => {
    const { app } = stage;
    const { ada, ben } = app.people;
    const space = await addSpace(app, 'Farm');
    const fqdn = await addFqdn(app, space.id, 'www.example.com');
    const client = await addAcmeClient(app, space.id, { name: 'web-9' });
    const place = { clientId: client.id, spaceId: space.id };
    const account = await addServerAccount(app, { ...place, userAgent: 'CertbotACMEClient/2.1.0 (certbot)' });
    await addServerOrder(app, account, { fqdnId: fqdn.id, fqdn: fqdn.fqdn });
    const path = `/spaces/${space.id}/acme-clients`;
    await stage.play('acme-client', ada, path, async ({ page, look }) => {
      const table = page.getByRole('table', { name: 'ACME clients' });
      await table.getByText('CertbotACMEClient/2.1.0 from 10.0.0.7').waitFor();
      await table.getByText('www.example.com').waitFor();
      await look('list');
      await table.getByRole('button', { name: 'web-9' }).click();
      const details = page.getByRole('dialog', { name: 'web-9' });
      await details.getByRole('link', { name: 'www.example.com' }).waitFor();
      await details.getByText('example.com and below').waitFor();
      await look('details');
      await details.getByRole('button', { name: 'New key…' }).click();
      await page.getByRole('button', { name: 'Create a new key' }).click();
      await page.getByRole('heading', { name: 'Connect web-9' }).waitFor();
      await page.getByText('the key is shown this once').waitFor();
      await page.getByRole('button', { name: 'Back to the list' }).click();
      await table.getByRole('button', { name: 'web-9' }).click();
      await details.getByRole('button', { name: 'Show the commands' }).click();
      await page.getByText('put it in the place of YOUR_KEY').waitFor();
    });
    await grant(app, ben, 'READ', [space.id]);
    await stage.play('acme-client-read', ben, path, async ({ page }) => {
      await page.getByRole('button', { name: 'web-9' }).click();
      await page.getByRole('dialog', { name: 'web-9' }).getByText('Key identifier').waitFor();
      expect(await page.getByRole('button', { name: /Edit|New key|Delete|Create/ }).count()).toBe(0);
    });
  });
});
