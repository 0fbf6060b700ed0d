import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { grant } from '../support/factories.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { newCsr, providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('the page of an issuance policy', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows what a policy would reject before it saves it, and others only read it', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Shop');
    await addFqdn(app, space.id, 'www.shop.test');
    await addFqdn(app, space.id, 'www.elsewhere.test');
    const { ada, ben } = app.people;
    const path = `/spaces/${space.id}/issuance-policy`;
    await stage.play('policy', ada, `/spaces/${space.id}`, async ({ page, look }) => {
      await page.getByRole('link', { name: 'Issuance policy' }).click();
      await page.getByRole('heading', { name: 'Issuance policy' }).waitFor();
      await page.getByLabel('Limit the names').check();
      await page.getByLabel('Domains').fill('shop.test');
      await page.getByRole('button', { name: 'Preview the effect' }).click();
      const effect = page.getByRole('region', { name: 'Effect' });
      await effect.getByRole('heading', { name: '1 name would be rejected' }).waitFor();
      await effect.getByText('www.elsewhere.test').first().waitFor();
      await look('preview');
      const stored = await app.request.get(path).set(ada.auth).expect(200);
      expect(stored.body).toEqual({ allowedNames: null, providerIds: null });
      await page.getByRole('button', { name: 'Save the policy' }).click();
      await page.getByText('The policy is saved.').waitFor();
      const saved = await app.request.get(path).set(ada.auth).expect(200);
      expect(saved.body.allowedNames).toMatchObject({ suffixes: ['shop.test'], beyondFqdn: false });
    });
    await grant(app, ben, 'READ', [space.id]);
    await stage.play('policy-read', ben, path, async ({ page, look }) => {
      await page.getByText('Domains with all names below them: shop.test').waitFor();
      expect(await page.getByRole('button', { name: 'Preview the effect' }).count()).toBe(0);
      await look('read');
    });
  });

  test('lists names that several spaces have certificates for, to administrators', async () => {
    const { app } = stage;
    const { ada, ben } = app.people;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const shared = 'shared.example.org';
    const section = 'Names in several spaces';
    const issue = async (spaceName: string) => {
      const space = await addSpace(app, spaceName);
      const fqdn = await addFqdn(app, space.id, shared);
      await addCsr(app, fqdn, await newCsr(shared));
      await app.request.post(pathOf(fqdn, 'csr/sign')).set(ada.auth).send({ providerId }).expect(200);
      return fqdn;
    };
    const first = await issue('First');
    await addSpace(app, 'Empty');
    await stage.play('shared-names', ada, '/spaces', async ({ page, look }) => {
      const names = page.getByRole('region', { name: section });
      await names.getByText('No two spaces have certificates for the same name.').waitFor();
      await look('none');
      await issue('Second');
      await page.route('**/shared-names', (route) => route.fulfill({ status: 400, body: '{}' }));
      await page.reload();
      await names.getByText('The service answered with status 400.').waitFor();
      await page.unroute('**/shared-names');
      await names.getByRole('button', { name: 'Retry' }).click();
      const row = names.getByRole('row').filter({ hasText: shared });
      await row.getByRole('link', { name: `${shared} in Second` }).waitFor();
      await look('some');
      await row.getByRole('link', { name: `${shared} in First` }).click();
      await page.getByRole('heading', { name: shared }).waitFor();
      expect(page.url()).toContain(`/fqdns/${first.id}`);
    });
    await grant(app, ben, 'READ', [first.spaceId, (await addSpace(app, 'Third')).id]);
    await stage.play('shared-names-read', ben, '/spaces', async ({ page }) => {
      await page.getByRole('region', { name: 'First' }).waitFor();
      expect(await page.getByRole('region', { name: section }).count()).toBe(0);
    });
  });
});
