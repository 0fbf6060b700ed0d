import { hasBrowser } from '@certloop/browser';
import type { CertificateDetail } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foreignPem } from '../support/cas/foreign-ca.js';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { seedLargePlace } from '../support/large-place.js';
import { certificatesOf } from '../support/renewals.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('certificates in the console', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('finds the certificate by a pasted serial number, fingerprint or id', async () => {
    const { app } = stage;
    const { ada } = app.people;
    const fqdn = await addFqdn(app, (await addSpace(app, 'Shop')).id, 'shop.example.org');
    const pem = await foreignPem(fqdn.fqdn, app.clock.now());
    await app.request.post(pathOf(fqdn, 'certificates/import')).set(ada.auth).send({ pem }).expect(201);
    const [stored] = await certificatesOf(app, fqdn);
    const path = pathOf(fqdn, `certificates/${stored?.id}`);
    const { body } = await app.request.get(path).set(ada.auth).expect(200);
    const certificate = body as CertificateDetail;
    const withColons = (digits: string) => digits.toUpperCase().replace(/(..)(?=.)/g, '$1:');
    const pasted = [
      certificate.serialNumber,
      withColons(certificate.serialNumber),
      `serial=${certificate.serialNumber.toUpperCase()}`,
      `sha256 Fingerprint=${withColons(certificate.sha256)}`,
      certificate.publicKey.spkiSha256,
      certificate.id.toUpperCase(),
    ];
    await stage.play('pasted-digits', ada, '/spaces', async ({ page, look }) => {
      for (const [place, text] of pasted.entries()) {
        await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
        await page.keyboard.press('Control+k');
        const search = page.getByRole('combobox', { name: 'Search' });
        await search.and(page.locator(':focus')).waitFor();
        await page.keyboard.insertText(text);
        await page.getByRole('option', { name: /^shop\.example\.org, until .* certificate of / }).waitFor();
        await page.getByText('1 result', { exact: true }).waitFor();
        if (place === 1) await look('found');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Certificate of shop.example.org' }).waitFor();
        expect(page.url()).toContain(certificate.id);
        await page.getByRole('link', { name: 'Spaces' }).first().click();
      }
    });
    // one who may not read the space finds nothing
    await stage.play('pasted-stranger', app.people.cleo, '/spaces', async ({ page }) => {
      await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(certificate.sha256);
      await page.getByText('0 results', { exact: true }).waitFor();
    });
  });

  test('shows thousands of certificates and CSRs of a name in pages', async () => {
    const { app, ca } = stage;
    const { ada } = app.people;
    const { fqdn } = await fqdnWithCsr(app, 'busy.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    ca.answer('normally');
    await app.request.post(pathOf(fqdn, 'csr/sign')).set(ada.auth).send({ providerId }).expect(200);
    await seedLargePlace(app.database, { fqdnId: fqdn.id, count: 1, own: 5_001, entries: 0 });
    await stage.play('busy-name', ada, `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`, async ({ page, look }) => {
      // what the first load asks for is not counted
      await page.getByText('50 certificates of 5,001').waitFor();
      const asked: URL[] = [];
      page.on('request', (request) => {
        const url = new URL(request.url());
        if (/\/(certificates|csr)$/.test(url.pathname)) asked.push(url);
      });
      await page.reload();
      await page.getByText('50 certificates of 5,001').waitFor();
      const table = page.getByRole('table', { name: 'Certificates' });
      await table.getByRole('row').nth(1).getByText('valid').waitFor();
      await table.getByRole('row').nth(2).getByText('replaced').waitFor();
      await look('certificates');
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('100 certificates of 5,001').waitFor();
      await page.getByRole('navigation', { name: 'History of the name' }).getByText('CSRs').click();
      await page.getByText('50 CSRs of 5,001').waitFor();
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByText('100 CSRs of 5,001').waitFor();
      // each list twice, and never the whole of it
      expect(asked.map(({ searchParams }) => searchParams.get('limit'))).toEqual(['50', '50', '50', '50']);
    });
  });
});
