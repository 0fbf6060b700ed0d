import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignCertificate } from '../../support/cas/foreign-ca.js';
import { type ConsoleStage, startConsoleStage } from '../../support/console.js';
import { addFqdn, addSpace, pathOf } from '../../support/inventory.js';

const day = 86_400_000;

(hasBrowser() ? describe : describe.skip)('the page of readiness', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows what breaks on a day of the calendar and on any other, with what to do', async () => {
    const { app } = stage;
    const space = await addSpace(app);
    const { id } = await addFqdn(app, space.id, 'long.certloop.dev');
    const notBefore = new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000);
    const { leafPem: pem } = await foreignCertificate({
      dnsNames: ['long.certloop.dev'],
      notBefore,
      notAfter: new Date(notBefore.getTime() + 300 * day),
      isPublic: true,
    });
    await app.request
      .post(pathOf({ id, spaceId: space.id }, 'certificates/import'))
      .set(app.people.ada.auth)
      .send({ pem })
      .expect(201);
    const inTenYears = new Date(app.clock.now().getTime() + 3600 * day).toISOString().slice(0, 10);
    await stage.play('readiness', app.people.ada, '/readiness', async ({ page, look }) => {
      await page.getByRole('heading', { name: 'Readiness', exact: true }).waitFor();
      await page.getByText('Certificates of public CAs: 1 of 1 in use.').waitFor();
      const choices = page.getByLabel('Day of a rule');
      const days = await choices.locator('option').allInnerTexts();
      expect(days[0]).toMatch(/^\d{4}-\d\d-\d\d \(today\)$/);
      await page.getByLabel('Any day').fill(inTenYears);
      await page.getByLabel('Any day').blur();
      await page.getByRole('heading', { name: `What breaks on ${inTenYears}` }).waitFor();
      const table = page.getByRole('table', { name: 'What breaks' });
      const row = table.getByRole('row').filter({ hasText: 'Lifetime is longer than allowed' });
      await row.getByText('The next certificate lasts for 47 days').waitFor();
      expect(await row.getByRole('link', { name: /at most 47 days/ }).getAttribute('href')).toMatch(
        /^https:\/\/cabforum\.org\//,
      );
      await table.getByRole('row').filter({ hasText: 'In use for clients' }).waitFor();
      const byHand = page.getByRole('table', { name: 'Work by hand' });
      await byHand.getByText('Upload a CSR, choose a provider, and switch renewal on.').waitFor();
      await look('years-ahead');
      await choices.selectOption({ index: 0 });
      await page.getByRole('heading', { name: `What breaks on ${days[0]?.slice(0, 10)}` }).waitFor();
      await page.goBack();
      await row.getByRole('link', { name: 'long.certloop.dev' }).click();
      await page.getByRole('heading', { name: 'long.certloop.dev' }).waitFor();
    });
  });
});
