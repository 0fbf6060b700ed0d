import { type FormRow, openPath } from '@certloop/browser';

/** What the forms of the table are about. */
export interface FormPlace {
  readonly projectId: string;
  /** Another project of the same owner, which is deleted. */
  readonly goneProjectId: string;
  readonly checkId: string;
  /** Moved to the other project of the owner. */
  readonly movedCheckId: string;
  readonly goneCheckId: string;
}

const closed: FormRow['done'] = (_, form) => form.waitFor({ state: 'detached' });
const heading =
  (name: string): FormRow['done'] =>
  (page) =>
    page.getByRole('heading', { name, exact: true }).waitFor();

/** Opens a page, and the form by a button on it. */
function by(path: string, button?: string): FormRow['open'] {
  return async (page) => {
    if (new URL(page.url()).pathname !== `/ui${path}`) await openPath(page, `/ui${path}`);
    if (button !== undefined) await page.getByRole('button', { name: button, exact: true }).first().click();
  };
}

/** The form of a change of the selected checks, opened by a button of their bar. */
function bulk(projectId: string, name: string, button: string): FormRow['open'] {
  return async (page) => {
    await by(`/projects/${projectId}`)(page);
    await page.getByLabel(`Select ${name}`).check();
    await page.getByRole('button', { name: button, exact: true }).click();
  };
}

/** Every form of the console that sends what was typed, by what it is about; the last changes the password. */
export const monitorForms: Readonly<Record<string, (place: FormPlace) => readonly FormRow[]>> = {
  checks: formsOfChecks,
  'many checks': formsOfMany,
  integrations: formsOfIntegrations,
  projects: formsOfProjects,
  account: formsOfAccount,
};

function formsOfChecks({ projectId, checkId, movedCheckId, goneCheckId }: FormPlace): readonly FormRow[] {
  const pathOf = (id: string) => `/projects/${projectId}/checks/${id}`;
  return [
    {
      source: 'pages/checks/new-check.tsx 1',
      open: by(`/projects/${projectId}`, 'New check'),
      within: { dialog: 'New check' },
      typed: { Name: 'Nightly export', Tags: 'prod', Period: '3', 'Grace time': '2' },
      send: 'Create the check',
      done: heading('Nightly export'),
    },
    {
      source: 'pages/check/edit-check.tsx 1',
      open: by(pathOf(checkId), 'Edit'),
      within: { dialog: 'Edit the check' },
      typed: { Name: 'Backup', Slug: 'Not A Slug', Description: 'Call the night shift' },
      mended: ['Slug', 'backup'],
      send: 'Save',
      done: closed,
    },
    {
      source: 'pages/check/check-dialogs.tsx 1',
      open: by(pathOf(checkId), 'Change the schedule'),
      within: { dialog: 'Change the schedule' },
      typed: { Period: '5', 'Grace time': '4' },
      send: 'Save the schedule',
      done: closed,
    },
    {
      source: 'pages/check/check-dialogs.tsx 3',
      open: by(pathOf(movedCheckId), 'Move'),
      within: { dialog: 'Move to another project' },
      typed: { Project: 'Archive' },
      send: 'Move the check',
      done: (page) => page.getByRole('link', { name: 'Archive' }).first().waitFor(),
    },
    {
      source: 'pages/check/check-dialogs.tsx 2',
      open: async (page) => {
        // another page of the same kind would keep its heading
        await by('/projects')(page);
        await by(pathOf(goneCheckId), 'Delete')(page);
      },
      within: { dialog: 'Delete the check?' },
      typed: { 'Type Old job to delete it': 'Old job' },
      send: 'Delete the check',
      done: (page) => page.getByRole('button', { name: 'New check' }).first().waitFor(),
    },
  ];
}

function formsOfMany({ projectId }: FormPlace): readonly FormRow[] {
  return [
    {
      source: 'pages/checks/bulk-forms.tsx 1',
      open: bulk(projectId, 'Reports', 'Tags'),
      within: { dialog: /./ },
      typed: { Tags: 'nightly' },
      send: 'Add to 1 check',
      done: closed,
    },
    {
      source: 'pages/checks/bulk-forms.tsx 2',
      open: bulk(projectId, 'Reports', 'Integrations'),
      within: { dialog: /./ },
      typed: { Integration: 'Chat' },
      send: 'Notify it for 1 check',
      done: closed,
    },
    {
      source: 'pages/checks/bulk-forms.tsx 3',
      open: bulk(projectId, 'Reports', 'Delete'),
      within: { dialog: /./ },
      typed: { 'Type the number of checks to confirm: 1': '1' },
      send: 'Delete 1 check',
      done: closed,
    },
  ];
}

function formsOfIntegrations({ projectId }: FormPlace): readonly FormRow[] {
  const path = `/projects/${projectId}`;
  return [
    {
      source: 'pages/integrations/new-integration.tsx 1',
      open: async (page) => {
        await by(`${path}/integrations`, 'Add an integration')(page);
        await page.getByRole('button', { name: 'Gotify', exact: true }).click();
      },
      within: { dialog: 'Add an integration' },
      typed: { Name: 'Phone', 'Address (URL)': 'not an address', Token: 'secret-of-the-phone' },
      mended: ['Address (URL)', 'https://push.example.org'],
      send: 'Save and assign to all checks',
      done: closed,
    },
    {
      source: 'pages/integrations/edit-integration.tsx 1',
      open: by(`${path}/integrations`, 'Edit'),
      within: { dialog: /^Edit / },
      typed: { Name: 'Chat of the team', 'When a check goes down: address (URL)': 'ftp://chat' },
      mended: ['When a check goes down: address (URL)', 'https://chat.example.org'],
      send: 'Save',
      done: closed,
    },
  ];
}

function formsOfProjects({ projectId, goneProjectId }: FormPlace): readonly FormRow[] {
  const path = `/projects/${projectId}`;
  return [
    {
      source: 'pages/settings/members-card.tsx 1',
      open: by(`${path}/settings`, 'Add a member'),
      within: { dialog: 'Add a member' },
      typed: { 'E-mail address': 'unknown@example.org', Role: 'read-only: only looks' },
      mended: ['E-mail address', 'mia@example.org'],
      send: 'Add the member',
      done: closed,
    },
    {
      source: 'pages/settings/project-card.tsx 1',
      open: by(`${path}/settings`),
      within: { region: 'Project' },
      typed: { Name: ' ' },
      mended: ['Name', 'Jobs of the night'],
      send: 'Rename',
      done: heading('Jobs of the night'),
    },
    {
      source: 'pages/projects/new-project.tsx 1',
      open: by('/projects', 'Create a project'),
      within: { dialog: 'Create a project' },
      typed: { Name: ' ' },
      mended: ['Name', 'Warehouse'],
      send: 'Create the project',
      done: heading('Warehouse'),
    },
    {
      source: 'pages/settings/project-card.tsx 2',
      open: by(`/projects/${goneProjectId}/settings`, 'Delete the project'),
      within: { dialog: 'Delete the project?' },
      typed: { 'Type Gone to delete it': 'Gone' },
      send: 'Delete the project',
      done: heading('Projects'),
    },
  ];
}

function formsOfAccount(): readonly FormRow[] {
  return [
    {
      source: 'pages/account/account-page.tsx 1',
      open: by('/account'),
      within: { region: 'Password' },
      typed: { 'Current password': 'not the password', 'New password': 'a longer one than before' },
      // it ends every session
      mended: ['Current password', 'correct horse battery'],
      send: 'Change the password',
      done: (page) => page.getByText('Your session has ended').waitFor(),
    },
  ];
}
