import { assertFits, assertFocusReturns, hasBrowser, tabTo } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addCsr, addFqdn, addSpace, auditEntries, csrSample, pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { certificatesOf } from '../support/renewals.js';
import { configure, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

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
      await page.getByRole('list', { name: 'Findings' }).getByText('It also asks for').waitFor();
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

  test('stores many CSRs, each with its own verdict, also when the connection goes in between', async () => {
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
      await goOn.click();
      await page.getByText('6 CSRs are stored.').waitFor();
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
      await page.getByText('ECDSA, 256 bits').waitFor();
      expect(page.url()).toContain(fqdns[3]?.id);
    });
  });

  test('shows the request under way after a reload, in a second tab, and in the history', async () => {
    const { app } = stage;
    const steps = {
      csrCheck: { status: 'ok' },
      order: { status: 'ok' },
      challenges: {
        status: 'waiting_manual',
        detail: 'publish the record',
        items: {
          'www.example.org': {
            ...{ type: 'dns-01', status: 'waiting_manual' },
            publish: { place: '_acme-challenge.www.example.org TXT', content: 'the-proof' },
          },
        },
      },
    } as const;
    const acme = await providerOf(app, 'acme');
    const proveBy = (type: string) => {
      const config = { directoryUrl: 'https://8.8.8.8/dir', termsOfServiceAgreed: true, challenge: { type } };
      return configure(app, acme, config).expect(200);
    };
    await proveBy('manual');
    const { fqdn } = await addJob(app, { steps });
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await stage.play('request-under-way', app.people.ada, path, async ({ page, openTab, look }) => {
      const isShown = async (tab: typeof page) => {
        await tab.getByRole('heading', { name: 'The request under way' }).waitFor();
        await tab
          .getByRole('list', { name: 'Steps of the request' })
          .getByText('publish the record')
          .waitFor();
        await tab.getByRole('main').getByRole('link', { name: 'Requests' }).click();
        await tab.getByRole('table', { name: 'Requests' }).getByText('waits for you').waitFor();
      };
      await isShown(page);
      await page.reload();
      await isShown(page);
      await look('waiting');
      const tab = await openTab();
      await tab.goto(page.url());
      await isShown(tab);
      const publish = page.getByRole('table', { name: 'To publish' });
      await publish.getByText('the-proof').waitFor();
      await proveBy('http-01');
      await page.reload();
      const proof = page.getByRole('region', { name: 'Proof of control' });
      await proof.getByLabel('Web server').selectOption('caddy');
      await proof.getByText('reverse_proxy').waitFor();
      await look('challenge');
    });
  });

  test('shows what servers serve and since when, and changes and deletes a name', async () => {
    const { app } = stage;
    const { fqdn } = await fqdnWithCsr(app, 'served.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await stage.play('served', app.people.ada, path, async ({ page, look }) => {
      const served = page.getByRole('region', { name: 'What is served' });
      await served.getByText('No server is known for this name').waitFor();
      await served.getByRole('button', { name: 'Add a server' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a server' });
      expect(await dialog.getByLabel('Host').inputValue()).toBe(fqdn.fqdn);
      await dialog.getByLabel('Port').fill('1');
      await dialog.getByRole('button', { name: 'Add the server and probe it' }).click();
      await dialog.getByRole('alert').or(dialog.locator('[aria-invalid=true]')).first().waitFor();
      await look('refused');
      await dialog.getByLabel('Port').fill('');
      await dialog.getByRole('button', { name: 'Add the server and probe it' }).click();
      // nothing answers at this name
      const table = page.getByRole('table', { name: 'What is served' });
      await table.getByText('not reachable').waitFor();
      await table.getByRole('rowheader', { name: `${fqdn.fqdn}:443` }).waitFor();
      await look('unreachable');
      await table.getByRole('button', { name: /^Remove: / }).click();
      await page.getByRole('button', { name: 'Remove the server' }).click();
      await served.getByText('No server is known for this name').waitFor();

      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const edit = page.getByRole('dialog', { name: 'Edit the name' });
      await edit.getByLabel('Description').fill('The front door');
      await edit.getByLabel('Provider of the first certificate').selectOption(providerId);
      await edit.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The front door').waitFor();
      const history = page.getByRole('navigation', { name: 'History of the name' });
      await history.getByRole('link', { name: 'Audit log' }).click();
      const log = page.getByRole('table', { name: 'Audit log of this name' });
      await log.getByText(`ada edited the name ${fqdn.fqdn}`).waitFor();
      await log.getByText(`ada uploaded a CSR for ${fqdn.fqdn}`).first().waitFor();
      await look('log');
      await page.getByRole('button', { name: 'Delete…' }).click();
      const deletion = page.getByRole('dialog', { name: `Delete ${fqdn.fqdn}?` });
      await deletion.getByLabel(`Type ${fqdn.fqdn} to delete it`).fill(fqdn.fqdn);
      await look('delete');
      await deletion.getByRole('button', { name: 'Delete the name' }).click();
      await page.getByRole('heading', { name: 'This space has no name yet' }).waitFor();

      await page.getByRole('button', { name: 'Edit the space' }).click();
      const space = page.getByRole('dialog', { name: 'Edit the space' });
      await space.getByLabel('Name', { exact: true }).fill('Old front');
      await space.getByRole('switch', { name: 'The monitor watches its names' }).uncheck({ force: true });
      await space.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The monitor does not watch this space').waitFor();
      await page.getByRole('heading', { name: 'Old front' }).waitFor();
      await addFqdn(app, fqdn.spaceId, 'left.example.org');
      await page.reload();
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByLabel('Type Old front to delete it').fill('Old front');
      await look('delete space');
      await page.getByRole('button', { name: 'Delete the space with its 1 name' }).click();
      await page.getByRole('heading', { name: 'Spaces' }).waitFor();
      await app.request.get(`/spaces/${fqdn.spaceId}`).set(app.people.ada.auth).expect(404);
    });
  });

  test('brings a certificate by the keyboard alone, on a phone and in forced colors', async () => {
    await stage.play('keyboard', stage.app.people.ada, '/spaces', async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ forcedColors: 'active' });
      await page.reload();
      const heading = (text: string) => page.getByRole('heading', { name: text }).waitFor();
      const button = (text: string | RegExp) => page.getByRole('button', { name: text });
      const enter = async (target: ReturnType<typeof button>) => {
        await tabTo(page, target);
        await page.keyboard.press('Enter');
      };
      await heading('Spaces');
      await button('Create a space').waitFor();
      await enter(button('Skip to the content'));
      await assertFocusReturns(page, ['Create a space']);
      await page.keyboard.press('Enter');
      await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await assertFits(page);
      await enter(page.getByRole('link', { name: 'By keyboard' }));
      await heading('This space has no name yet');
      await enter(button('Add a name'));
      await page.locator('input:focus').waitFor();
      await page.keyboard.type('www.example.com');
      await page.keyboard.press('Enter');
      await heading('Create a key and a CSR');
      await assertFits(page);
      await enter(button('Paste it'));
      await tabTo(page, page.getByLabel('CSR in PEM'));
      await page.keyboard.insertText(csrSample('p256'));
      await enter(button('Check this CSR'));
      await page.getByText('This CSR is stored').waitFor();
      await enter(button(/^Request from/));
      await page.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
      await tabTo(page, page.getByLabel('Renew automatically'));
      await page.keyboard.press('Space');
      await page.getByText(/^Renews at/).waitFor();
      await assertFocusReturns(page, [/^Request from/]);
      await assertFits(page);
      await enter(page.getByRole('table', { name: 'Certificates' }).getByRole('link', { name: /^CN=/ }));
      await heading('Certificate of www.example.com');
      await assertFits(page);
    });
  });

  test('leads anywhere by the palette and by keys, none of which acts while one types', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Palette space');
    await addFqdn(app, space.id, 'palette.example.org');
    await addFqdn(app, space.id, 'bücher.example.org');
    // a Cyrillic letter within Latin ones
    await addFqdn(app, space.id, 'b\u0430nk.example.org');
    await stage.play('palette', app.people.ada, '/spaces', async ({ page, look }) => {
      const { keyboard } = page;
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
      const dialog = (name: string) => page.getByRole('dialog', { name });
      const search = page.getByRole('combobox', { name: 'Search' });
      const option = (name: string | RegExp) => page.getByRole('option', { name });
      await heading('Spaces');
      await assertFocusReturns(page, ['Go to']);
      await keyboard.press('Control+k');
      await search.and(page.locator(':focus')).waitFor();
      await option('Create a space on this page').waitFor();
      await keyboard.type('palette');
      await option('Palette space space').waitFor();
      await look('found');
      await keyboard.press('ArrowUp');
      expect(await option('Palette space space').getAttribute('aria-selected')).toBe('true');
      await keyboard.press('ArrowDown');
      await keyboard.press('Enter');
      await heading('palette.example.org');
      await keyboard.press('?');
      await dialog('Keys').getByText('Choose the CSR file').waitFor();
      await look('keys');
      await keyboard.press('Escape');
      await dialog('Keys').waitFor({ state: 'detached' });
      await keyboard.press('Control+k');
      await search.and(page.locator(':focus')).waitFor();
      await keyboard.insertText(space.id);
      await option('Palette space space').waitFor();
      // Esc has closed the dialog only
      expect(page.url()).toContain('/fqdns/');
      await keyboard.press('Enter');
      await heading('Palette space');
      await page.getByRole('link', { name: 'palette.example.org' }).waitFor();
      const unicode = page.getByRole('link', { name: 'bücher.example.org (xn--bcher-kva.example.org)' });
      expect(await unicode.textContent()).toBe('bücher.example.org(xn--bcher-kva.example.org)');
      await page.getByRole('link', { name: 'xn--bnk-6cd.example.org', exact: true }).waitFor();
      await look('unicode');
      await unicode.click();
      await heading('bücher.example.org (xn--bcher-kva.example.org)');
      await page.goBack();
      await keyboard.press('Escape');
      await heading('Spaces');

      await page.getByRole('link', { name: 'Palette space' }).waitFor();
      await keyboard.press('c');
      const name = page.getByLabel('Name', { exact: true });
      await name.and(page.locator(':focus')).waitFor();
      await keyboard.type('gs?/cjkx');
      expect(await name.inputValue()).toBe('gs?/cjkx');
      await keyboard.press('Escape');
      await dialog('Create a space').waitFor({ state: 'detached' });
      await keyboard.press('j');
      const link = page.getByRole('heading', { level: 2 }).first().getByRole('link');
      await link.and(page.locator(':focus')).waitFor();
      const title = (await link.textContent()) ?? '';
      await keyboard.press('Enter');
      await heading(title);
      await keyboard.press('g');
      await keyboard.press('y');
      await heading('Your account');

      await keyboard.press('?');
      await dialog('Keys').getByLabel('Use keys of single characters in this browser').click();
      await keyboard.press('Escape');
      await dialog('Keys').waitFor({ state: 'detached' });
      await keyboard.press('c');
      await keyboard.press('Control+k');
      await search.waitFor();
      expect(await page.getByRole('dialog').count()).toBe(1);
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
});
