import type { FormRow } from '@certloop/browser';
import { by, closed, deletion, type FormPlace, heading } from './form-rows.js';

/** The forms of the ACME clients of a space. */
export function formsOfAcmeClients({ fqdn: { spaceId } }: FormPlace): readonly FormRow[] {
  const path = `/spaces/${spaceId}/acme-clients`;
  const opened =
    (name: string, action: string): FormRow['open'] =>
    async (page) => {
      await by(path)(page);
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: action, exact: true }).click();
    };
  return [
    {
      source: 'pages/acme-clients/client-dialogs.tsx 1',
      open: by(path, 'Create an ACME client'),
      within: { dialog: 'Create an ACME client' },
      typed: { Name: 'web-7', Domains: 'https://shop.test', Provider: 'Dummy certificate authority' },
      mended: ['Domains', 'shop.example.org'],
      send: 'Create the client',
      done: async (page) => {
        await page.getByRole('heading', { name: 'Connect web-7' }).waitFor();
        await page.getByRole('button', { name: 'Back to the list' }).click();
      },
    },
    {
      source: 'pages/acme-clients/client-dialogs.tsx 2',
      open: opened('web-7', 'Edit'),
      within: { dialog: 'Edit the ACME client' },
      typed: { Name: ' ', 'Single names': 'north.example.org' },
      mended: ['Name', 'web-8'],
      send: 'Save',
      done: async (page, form) => {
        await closed(page, form);
        // the client as it is now is shown again
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      },
    },
    deletion(
      'pages/acme-clients/client-dialogs.tsx 3',
      opened('web-8', 'Delete…'),
      'web-8',
      'Delete the ACME client',
      heading('This space has no ACME client yet'),
    ),
  ];
}
