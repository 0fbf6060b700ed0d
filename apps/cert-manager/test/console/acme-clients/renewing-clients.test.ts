import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../../support/console.js';
import { grant } from '../../support/factories.js';
import { addAcmeClient, withKeys } from '../../support/front/acme-clients.js';
import { addMachine, orderOf } from '../../support/front/client-lineage.js';
import { pathOf } from '../../support/inventory.js';
import { issuedFqdn } from '../../support/renewals.js';
import { providerOf } from '../../support/signing.js';

(hasBrowser() ? describe : describe.skip)('the page of a name that ACME clients renew', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage(withKeys);
  });
  afterAll(() => stage.close());

  test('shows client, machine and what is expected, and lets a machine go', async () => {
    const { app, ca, close } = stage;
    const { ada, ben } = app.people;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const fqdn = await issuedFqdn({ app, ca, providerId, close }, 'machine.example.com');
    const client = await addAcmeClient(app, fqdn.spaceId, { name: 'web-7' });
    await orderOf(app, fqdn, await addMachine(app, client));
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    await stage.play('renewing-client-read', ben, path, async ({ page }) => {
      await page
        .getByRole('region', { name: 'ACME clients' })
        .getByText('certbot 2.1 from 10.0.0.7')
        .waitFor();
      expect(await page.getByRole('button', { name: /machine is gone/ }).count()).toBe(0);
    });
    await stage.play('renewing-client', ada, path, async ({ page, look }) => {
      const card = page.getByRole('region', { name: 'ACME clients' });
      await card.getByRole('link', { name: 'web-7' }).waitFor();
      await look('card');
      await card.getByRole('button', { name: 'This machine is gone: web-7 from 10.0.0.7' }).click();
      await look('question');
      await page.getByRole('dialog').getByRole('button', { name: 'This machine is gone' }).click();
      await card.waitFor({ state: 'detached' });
    });
    const [lineage] = (await app.request.get(pathOf(fqdn, 'acme-lineages')).set(ada.auth).expect(200)).body;
    expect(lineage.state).toBe('released');
  });
});
