import { type FormRow, openPath } from '@certloop/browser';
import { formsOfAcmeClients } from './forms/acme-client-forms.js';
import { by, closed, deletion, type FormPlace, heading, text } from './forms/form-rows.js';
import { formsOfAccount, formsOfPeople } from './forms/people-forms.js';
import { newCsr } from './signing.js';

/** Every form of the console that sends what was typed, by what it is about; the last changes the password. */
export const managerForms: Readonly<
  Record<string, (place: FormPlace) => readonly FormRow[] | Promise<readonly FormRow[]>>
> = {
  names: formsOfNames,
  spaces: formsOfSpaces,
  'new names': formsOfNewNames,
  'ACME clients': formsOfAcmeClients,
  people: formsOfPeople,
  providers: formsOfProviders,
  jobs: formsOfJobs,
  account: formsOfAccount,
};

async function formsOfNames({ fqdn, goneFqdn }: FormPlace): Promise<readonly FormRow[]> {
  const path = `/spaces/${fqdn.spaceId}/fqdns/${fqdn.id}`;
  return [
    {
      source: 'pages/fqdn/name-actions.tsx 1',
      open: by(path, 'Edit'),
      within: { dialog: 'Edit the name' },
      typed: {
        Description: 'The shop\u0007',
        'Provider of the first certificate': 'Dummy certificate authority',
      },
      mended: ['Description', 'The shop of the north'],
      send: 'Save',
      done: closed,
    },
    {
      source: 'pages/fqdn/csr-card.tsx 1',
      open: by(path, 'Paste it'),
      within: { region: 'CSR' },
      typed: { 'CSR in PEM': '-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----' },
      mended: ['CSR in PEM', await newCsr(fqdn.fqdn)],
      send: 'Check this CSR',
      done: async (page, form) => {
        // its key is another one than that of the CSR before
        await form.getByRole('button', { name: /^Store/ }).click();
        await page.getByText('This CSR is stored').waitFor();
      },
    },
    {
      source: 'pages/fqdn/new-target.tsx 1',
      open: by(path, 'Add a server'),
      within: { dialog: 'Add a server' },
      typed: { Host: 'no host', Protocol: 'SMTP with STARTTLS', Port: '587', 'Name to ask for': fqdn.fqdn },
      mended: ['Host', 'mail.example.invalid'],
      send: 'Add the server and probe it',
      done: closed,
    },
    deletion(
      'pages/fqdn/name-actions.tsx 2',
      by(`/spaces/${goneFqdn.spaceId}/fqdns/${goneFqdn.id}`, 'Delete…'),
      goneFqdn.fqdn,
      'Delete the name',
      heading('space'),
    ),
  ];
}

function formsOfSpaces({ fqdn: { spaceId }, goneSpaceId }: FormPlace): readonly FormRow[] {
  const path = `/spaces/${spaceId}`;
  return [
    {
      source: 'spaces/new-space.tsx 1',
      open: by('/spaces', 'Create a space'),
      within: { dialog: 'Create a space' },
      typed: { Name: ' ', Description: 'Shops\nof the south' },
      mended: ['Name', 'South'],
      send: 'Create the space',
      done: closed,
    },
    deletion(
      'pages/space/space-actions.tsx 2',
      by(`/spaces/${goneSpaceId}`, 'Delete…'),
      'Old',
      'Delete the space',
      (page) => page.getByRole('heading', { name: 'Spaces', level: 1 }).waitFor(),
    ),
    {
      source: 'pages/issuance-policy/policy-form.tsx 1',
      open: async (page) => {
        await by(`${path}/issuance-policy`)(page);
        await page.getByLabel('Limit the names').check();
      },
      typed: { Domains: 'https://shop.test', 'Single names': 'www.example.org' },
      mended: ['Domains', 'example.org'],
      send: 'Preview the effect',
      done: (page) => page.getByRole('button', { name: 'Save the policy' }).waitFor(),
    },
    {
      source: 'pages/space/space-actions.tsx 1',
      open: by(path, 'Edit the space'),
      within: { dialog: 'Edit the space' },
      typed: { Name: ' ', Description: 'Names of the shops' },
      mended: ['Name', 'Shops'],
      send: 'Save',
      done: closed,
    },
  ];
}

/** The forms of a space that add names to it, and that change many of them. */
function formsOfNewNames({ fqdn: { spaceId } }: FormPlace): readonly FormRow[] {
  const path = `/spaces/${spaceId}`;
  return [
    {
      source: 'pages/space/new-fqdn.tsx 1',
      open: by(path, 'Add a name'),
      within: { dialog: 'Add a name' },
      typed: { 'Host name': 'not a name', Description: 'For the north' },
      mended: ['Host name', 'north.example.org'],
      send: 'Add the name',
      done: heading('north.example.org'),
    },
    {
      source: 'pages/watch-servers/servers-form.tsx 1',
      open: by(`/watch-servers?spaceId=${spaceId}`),
      typed: { Servers: 'watched.example.invalid' },
      send: /^(Watch|Go on with) 1 server$/,
      done: (page) => page.getByText('1 server is watched.').waitFor(),
    },
    {
      source: 'pages/add-names/add-names-page.tsx 1',
      open: by(`${path}/add-names`),
      typed: { 'Host names': 'one.example.org\ntwo.example.org' },
      send: 'Check 2 names',
      done: (page) => page.getByRole('button', { name: 'Add 2 names' }).waitFor(),
    },
    {
      source: 'names/bulk-dialog.tsx 1',
      open: async (page) => {
        await openPath(page, `/ui${path}`);
        // the list of before is shown until the new one has come; a row that comes later is not ticked
        await page.getByRole('link', { name: 'watched.example.invalid' }).waitFor();
        await page.getByLabel('Select all rows shown').check();
        await page.getByRole('button', { name: 'Set the provider' }).click();
      },
      within: { dialog: 'Set the provider' },
      typed: { 'Provider of the next certificate': 'ACME' },
      send: /^Set .* for \d+ names?$/,
      done: async (page, form) => {
        await form.getByText(/ changed\./).waitFor();
        await page.keyboard.press('Escape');
      },
    },
  ];
}

function formsOfProviders(): readonly FormRow[] {
  return [
    {
      source: 'pages/providers/configure-provider.tsx 1',
      open: by('/providers', 'Configure Dummy certificate authority'),
      within: { dialog: /^Configure / },
      typed: { Address: 'ftp://nowhere', 'Days until a certificate expires': '31' },
      mended: ['Address', 'https://ca.example.org'],
      send: 'Save the configuration',
      done: closed,
    },
    {
      source: 'pages/providers/configure-provider.tsx 2',
      open: by('/providers', 'Create a provider'),
      within: { dialog: 'Create a provider' },
      typed: {
        Name: 'Not A Name',
        'Name for people': 'The CA of the cellar',
        // what both kinds have stays
        Kind: 'A dummy CA, for tests',
        Address: 'https://ca.example.org',
      },
      mended: ['Name', 'cellar'],
      send: 'Create the provider',
      done: closed,
    },
  ];
}

/** The forms of the queue and of the audit log. */
function formsOfJobs({ fqdn }: FormPlace): readonly FormRow[] {
  return [
    {
      source: 'pages/renewals/test-entries.tsx 1',
      open: async (page) => {
        await openPath(page, '/ui/renewals');
        await page.getByText('Test entries').click();
      },
      typed: { 'Name to renew': fqdn.fqdn, 'Minutes from now': '5' },
      send: 'Queue a test entry',
      done: text('The test entry is queued.'),
    },
    deletion(
      'pages/audit/clear-log.tsx 1',
      by('/audit', 'Clear the log…'),
      'audit log',
      'Clear the log',
      closed,
    ),
  ];
}
