import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addCsr, addFqdn, addSpace, auditEntries, csrSample } from '../support/inventory.js';

// much else may run on the same machine
jest.setTimeout(60_000);

(hasBrowser() ? describe : describe.skip)('the page of a name', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('shows findings and changes of a CSR before it is stored', async () => {
    const { app } = stage;
    const fqdn = await addFqdn(app, (await addSpace(app, 'Shop')).id);
    await addCsr(app, fqdn, csrSample('p384'));
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await stage.play('csr-drop', app.people.ada, path, async ({ page, look }) => {
      const drop = (name: string) =>
        page.getByLabel('CSR file').setInputFiles({
          name: `${name}.csr`,
          mimeType: 'application/pkcs10',
          buffer: Buffer.from(csrSample(name)),
        });
      await drop('other-name');
      await page
        .getByRole('alert')
        .getByText(/other\.example\.com.*www\.example\.com/)
        .waitFor();

      await drop('many-kinds');
      await page.getByRole('heading', { name: 'Store this CSR?' }).waitFor();
      await page.getByRole('list', { name: 'Findings' }).getByText('it also asks for').waitFor();
      const changes = page.getByRole('list', { name: 'Changes' });
      await changes.getByText('It has a new key').waitFor();
      await changes.getByText('It adds example.com, *.example.com, 192.0.2.1, 2001:db8::1.').waitFor();
      await look('review');
      await page.getByRole('button', { name: 'Discard it' }).click();

      await drop('sha1');
      await page.getByRole('list', { name: 'Findings' }).getByText('signed with').waitFor();
      expect(await auditEntries(app, 'csr.upload')).toHaveLength(1);
      await page.getByRole('button', { name: 'Store this CSR' }).click();
      await page.getByText('This CSR is stored').waitFor();
      expect(await auditEntries(app, 'csr.upload')).toHaveLength(2);
      // the same key and names again have nothing to decide
      await drop('p384');
      await page.getByRole('button', { name: 'Store this CSR' }).click();
      await page.getByText('ECDSA, 384 bits').waitFor();
      await drop('p384');
      await page.getByText('This CSR is stored').waitFor();
    });
  });
});
