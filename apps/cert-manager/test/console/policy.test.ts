import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace } from '../support/inventory.js';

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
});
