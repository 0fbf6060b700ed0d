import { expect, test } from 'vitest';
import type { ConsoleStage } from '../../support/console.js';
import { addFqdn, pathOf } from '../../support/inventory.js';
import { addJob } from '../../support/issuance.js';
import { configure, fqdnWithCsr, providerOf } from '../../support/signing.js';

/** Stories of a request under way, and of what servers serve. */
export function playRequestsAndServers(stageOf: () => ConsoleStage): void {
  test('shows the request under way after a reload, in a second tab, and in the history', async () => {
    const { app } = stageOf();
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
    await stageOf().play('request-under-way', app.people.ada, path, async ({ page, openTab, look }) => {
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
      await page.getByRole('button', { name: 'Cancel the request' }).click();
      await page.getByRole('button', { name: 'Cancel the request' }).waitFor({ state: 'hidden' });
      await page.getByRole('main').getByRole('link', { name: 'Requests' }).click();
      await page.getByRole('table', { name: 'Requests' }).getByText('cancelled by ada').waitFor();
    });
  });

  test('shows what servers serve and since when, and changes and deletes a name', async () => {
    const { app } = stageOf();
    const { fqdn } = await fqdnWithCsr(app, 'served.example.org');
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
    await stageOf().play('served', app.people.ada, path, async ({ page, look }) => {
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
      await page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor();
      await app.request.get(`/spaces/${fqdn.spaceId}`).set(app.people.ada.auth).expect(404);
    });
  });
}
