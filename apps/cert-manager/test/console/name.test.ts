import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addCsr, addFqdn, addSpace, auditEntries, csrSample, pathOf } from '../support/inventory.js';
import { certificatesOf } from '../support/renewals.js';
import { fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';
import { playByKeyboard } from './name/keyboard-stories.js';
import { playRequestsAndServers } from './name/request-stories.js';

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
      await page.getByRole('list', { name: 'Findings' }).getByText('It also asks for').waitFor();
      const changes = page.getByRole('list', { name: 'Changes' });
      await changes.getByText('It has a new key').waitFor();
      await changes.getByText('It adds example.com, *.example.com, 192.0.2.1, 2001:db8::1.').waitFor();
      await look('review');
      await page.getByRole('button', { name: 'Discard it' }).click();

      await drop('sha1');
      const findings = page.getByRole('list', { name: 'Findings' });
      await findings.getByText('signed with').waitFor();
      await findings.getByText('warning', { exact: true }).waitFor();
      const repair = page.getByRole('region', { name: 'Repair' });
      await repair.getByText(/^openssl req -new .* -sha256 /).waitFor();
      await repair.getByRole('button', { name: 'Copy' }).first().waitFor();
      await look('repair');
      expect(await auditEntries(app, 'csr.upload')).toHaveLength(1);
      await page.getByRole('button', { name: 'Store this CSR' }).click();
      await page.getByText('This CSR is stored').waitFor();
      expect(await auditEntries(app, 'csr.upload')).toHaveLength(2);
      // the same key and names again have nothing to decide
      await drop('p384');
      await page.getByRole('button', { name: 'Store this CSR' }).click();
      await page.getByText('ECDSA, 384 bits').first().waitFor();
      const history = page.getByRole('navigation', { name: 'History of the name' });
      await history.getByRole('link', { name: 'CSRs' }).click();
      const csrs = page.getByRole('table', { name: 'CSRs' });
      await csrs.getByRole('row').nth(1).getByText('ECDSA, 384 bits').waitFor();
      expect(await csrs.getByRole('row').count()).toBe(1 + 3);
      await look('csrs');
      await history.getByRole('link', { name: 'Requests' }).click();
      await page.getByText('No certificate was requested yet.').waitFor();
      await page.goBack();
      await csrs.waitFor();
      await page.reload();
      await csrs.waitFor();
      await drop('p384');
      await page.getByText('This CSR is stored').waitFor();
    });
  });

  test('stores many CSRs, each with its own result, even if the connection breaks in between', async () => {
    const { app } = stage;
    const [shop, twin] = [await addSpace(app, 'Web shop'), await addSpace(app, 'Twin space')];
    const hosts = Array.from({ length: 6 }, (_, number) => `many${number}.example.net`);
    const fqdns = await Promise.all(hosts.map((host) => addFqdn(app, shop.id, host)));
    await addFqdn(app, twin.id, 'many0.example.net');
    const pems = await Promise.all(
      [...hosts, 'unknown.example.net', 'many1.example.net'].map((host) => newCsr(host)),
    );
    const fileOf = (name: string, text: string) => ({
      name,
      mimeType: 'application/pkcs10',
      buffer: Buffer.from(text),
    });
    const stored = async () => (await auditEntries(app, 'csr.upload')).length;
    const before = await stored();
    await stage.play('many-csrs', app.people.ada, `/spaces/${shop.id}`, async ({ page, look }) => {
      const sent: string[] = [];
      page.on('request', (request) => sent.push(request.postData() ?? ''));
      await page.getByRole('link', { name: 'Upload CSRs' }).click();
      const files = pems.map((pem, number) => fileOf(`file${number}.csr`, pem));
      const key = '-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----';
      const broken = (pems[5] ?? '').replace(/\n.{4}/, '\nAAAA');
      await page
        .locator('input[type=file]')
        .setInputFiles([
          ...files,
          fileOf('my.key', key),
          fileOf('broken.csr', broken),
          fileOf('prose.txt', 'Hello'),
        ]);
      await page.getByText('“my.key”: That is your private key.').waitFor();
      await page.getByText('“prose.txt”: There is no CSR in PEM in this file.').waitFor();
      const table = page.getByRole('table', { name: 'CSRs' });
      const row = (file: string) => table.getByRole('row').filter({ hasText: file });
      await page.getByText('5 CSRs of 9 can be stored.').waitFor();
      await row('file6.csr')
        .getByText('No name fits this CSR, which asks for unknown.example.net.')
        .waitFor();
      await row('file7.csr').getByText('A CSR above is for the same name.').waitFor();
      await row('file2.csr').getByText('in Web shop').waitFor();
      await page
        .getByLabel('Space of the name: file0.csr')
        .selectOption({ label: 'many0.example.net in Web shop' });
      await page.getByText('6 CSRs of 9 can be stored.').waitFor();
      await look('verdicts');
      expect(await stored()).toBe(before);
      let uploads = 0;
      await page.route('**/csr', (route) => {
        uploads += 1;
        return uploads > 3 ? route.abort('connectionreset') : route.continue();
      });
      await page.getByRole('button', { name: 'Store 6 CSRs' }).click();
      const goOn = page.getByRole('button', { name: 'Go on with 3 CSRs' });
      await goOn.waitFor();
      await page.getByText('Nothing is lost: go on when the service answers again.').waitFor();
      await look('interrupted');
      await page.unroute('**/csr');
      const repeated: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET' && /\/csr$/.test(request.url())) repeated.push(request.url());
      });
      await goOn.click();
      await page.getByText('6 CSRs are stored.').waitFor();
      // only those that failed
      expect(new Set(repeated).size).toBe(3);
      expect(repeated).toHaveLength(3);
      expect(await stored()).toBe(before + 6);
      expect(sent.filter((text) => text.includes('PRIVATE KEY'))).toEqual([]);
      const dataTransfer = await page.evaluateHandle(`(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(pems[6])}], 'dropped.csr'));
        return transfer;
      })()`);
      await page.getByRole('region', { name: 'CSR files' }).dispatchEvent('drop', { dataTransfer });
      await row('dropped.csr').getByText('No name fits this CSR').waitFor();
      await row('file3.csr').getByRole('link', { name: 'many3.example.net' }).click();
      await page.getByRole('heading', { name: 'many3.example.net' }).waitFor();
      await page.getByText('ECDSA, 256 bits').waitFor();
      expect(page.url()).toContain(fqdns[3]?.id);
    });
  });
  test('leads to a certificate with its chain, key and files', async () => {
    const { app } = stage;
    const { fqdn } = await fqdnWithCsr(app);
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const sign = () =>
      app.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId }).expect(200);
    await sign();
    await sign();
    const [first, newest] = await certificatesOf(app, fqdn);
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await stage.play('certificate', app.people.ada, path, async ({ page, look }) => {
      const table = page.getByRole('table', { name: 'Certificates' });
      await table.getByRole('row').nth(1).getByRole('link', { name: /^CN=/ }).click();
      await page.getByRole('heading', { name: `Certificate of ${fqdn.fqdn}` }).waitFor();
      expect(page.url()).toContain(newest?.id);
      await page.getByText('Does it fit your key?').waitFor();
      const rungs = page.getByRole('region', { name: 'Chain' }).getByRole('listitem');
      await rungs.first().getByText(`CN=${fqdn.fqdn}`).waitFor();
      await rungs
        .first()
        .getByText(/^until \d.* \d{4}, /)
        .waitFor();
      await rungs
        .last()
        .getByText('not part of the file: clients must trust this CA or one above it')
        .waitFor();
      await page.getByText('Dummy certificate authority', { exact: true }).waitFor();
      expect(await page.getByRole('link', { name: 'Chain alone (PEM)' }).count()).toBe(0);
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Certificate (DER)' }).click();
      expect((await download).suggestedFilename()).toBe(`${fqdn.fqdn}.cer`);
      await page.getByText('Extensions (').click();
      await look('detail');
      await page.getByRole('link', { name: 'The certificate before' }).click();
      await page.getByText('replaced', { exact: true }).waitFor();
      expect(page.url()).toContain(first?.id);
      await page.getByRole('button', { name: /^Read it again/ }).click();
      await page.getByRole('status').getByText('was read again').waitFor();
      await page.getByRole('button', { name: 'Revoke…' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Revoke…' }).click();
      await page.getByLabel('Reason').selectOption('Others may know its private key');
      await look('revoke');
      await page.getByRole('button', { name: 'Revoke the certificate' }).click();
      await page.getByText(/^Revoked on .*reason keyCompromise/).waitFor();
      expect(await page.getByRole('button', { name: 'Revoke…' }).count()).toBe(0);
      await page.getByRole('link', { name: 'show the newer one' }).click();
      await page.getByText('valid', { exact: true }).waitFor();
    });
  });

  const stageOf = () => stage;
  playRequestsAndServers(stageOf);
  playByKeyboard(stageOf);
});
