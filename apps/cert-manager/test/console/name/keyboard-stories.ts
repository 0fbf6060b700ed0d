import { assertFits, assertFocusReturns, tabTo } from '@certloop/browser';
import { expect, test } from 'vitest';
import { makeGroup } from '../../support/access/groups.js';
import type { ConsoleStage } from '../../support/console.js';
import { addFqdn, addSpace, csrSample } from '../../support/inventory.js';
import { providerOf } from '../../support/signing.js';

/** Stories that are played by the keyboard. */
export function playByKeyboard(stageOf: () => ConsoleStage): void {
  test('issues a certificate with the keyboard alone, on a phone and in forced colors', async () => {
    await stageOf().play('keyboard', stageOf().app.people.ada, '/spaces', async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ forcedColors: 'active' });
      await page.reload();
      const heading = (name: string, exact = false) => page.getByRole('heading', { name, exact }).waitFor();
      const button = (text: string | RegExp) => page.getByRole('button', { name: text });
      const enter = async (target: ReturnType<typeof button>) => {
        await tabTo(page, target);
        await page.keyboard.press('Enter');
      };
      await heading('Spaces', true);
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
      const steps = page.getByRole('list', { name: 'Steps to the first certificate' });
      const next = steps.locator('[aria-current=step]');
      await next.getByText('upload the CSR').waitFor();
      await assertFits(page);
      await enter(button('Paste it'));
      await tabTo(page, page.getByLabel('CSR in PEM'));
      await page.keyboard.insertText(csrSample('p256'));
      await enter(button('Check this CSR'));
      await page.getByText('This CSR is stored').waitFor();
      await next.getByText('Request the certificate').waitFor();
      await enter(button(/^Request from .+, for the key of \d{1,2} \w+ \d{4}$/));
      await page.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
      await steps.waitFor({ state: 'detached' });
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

  test('opens every page by the palette and by keys, which do nothing while the user types', async () => {
    const { app } = stageOf();
    const space = await addSpace(app, 'Palette space');
    const fqdn = await addFqdn(app, space.id, 'palette.example.org');
    const provider = await providerOf(app, 'dummy-ca');
    const group = await makeGroup(app, { name: 'Palette group', permission: 'READ', spaceIds: [space.id] });
    await addFqdn(app, space.id, 'bücher.example.org');
    // a Cyrillic letter within Latin ones
    await addFqdn(app, space.id, 'b\u0430nk.example.org');
    await stageOf().play('palette', app.people.ada, '/spaces', async ({ page, look }) => {
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
      // the keys are those of the controls that the page shows by then
      await page.getByRole('button', { name: 'Choose the CSR file' }).waitFor();
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
      for (const [id, found] of [
        [app.people.ada.id, 'ada user'],
        [provider.id, `${provider.displayName} provider`],
        [group.id, 'Palette group'],
        [fqdn.id, 'palette.example.org name'],
      ] as const) {
        await search.fill(id);
        await option(found).waitFor();
      }
      await search.fill(space.id);
      await option('Palette space space').waitFor();
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
}
