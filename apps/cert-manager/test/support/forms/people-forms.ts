import type { FormRow } from '@certloop/browser';
import { by, deletion, type FormPlace, heading, text } from './form-rows.js';

export function formsOfPeople({ userId, goneUserId, goneGroupId }: FormPlace): readonly FormRow[] {
  return [
    {
      source: 'pages/users/new-user.tsx 1',
      open: by('/users', 'Create a user'),
      within: { dialog: 'Create a user' },
      typed: {
        'User name': 'ben',
        'E-mail address': 'fay@example.org',
        'First password': 'correct horse battery',
      },
      mended: ['User name', 'fay'],
      send: 'Create the user',
      done: heading('fay'),
    },
    {
      source: 'pages/users/edit-user.tsx 1',
      open: by(`/users/${userId}`),
      within: { region: 'Change the user' },
      typed: {
        'User name': 'ada',
        'E-mail address': 'edith@example.net',
        'New password': 'staple of a horse',
      },
      mended: ['User name', 'edith.of.accounts'],
      send: 'Save the changes',
      done: text('The changes are saved.'),
    },
    deletion(
      'pages/users/user-page.tsx 1',
      by(`/users/${goneUserId}`, 'Delete'),
      'gone',
      'Delete the user',
      heading('Users'),
    ),
    {
      source: 'pages/groups/group-form.tsx 1',
      open: by('/new-group'),
      typed: { Name: ' ', Description: 'Everyone of the night shift' },
      mended: ['Name', 'Night shift'],
      send: 'Create the group',
      done: heading('Night shift'),
    },
    deletion(
      'pages/groups/group-page.tsx 1',
      by(`/groups/${goneGroupId}`, 'Delete'),
      'Gone',
      'Delete the group',
      heading('Groups'),
    ),
  ];
}

export function formsOfAccount(): readonly FormRow[] {
  return [
    {
      source: 'pages/account/tokens-card.tsx 1',
      open: by('/account', 'Create a token'),
      within: { dialog: 'Create a token' },
      typed: { Name: ' ', Scope: 'READ_WRITE', Expires: 'in 30 days' },
      mended: ['Name', 'ci-1'],
      send: 'Create the token',
      done: async (page) => {
        await page.getByText('Copy the token now').waitFor();
        await page.keyboard.press('Escape');
      },
    },
    {
      source: 'pages/account/account-page.tsx 1',
      open: by('/account'),
      within: { region: 'Password' },
      typed: { 'Current password': 'not the password', 'New password': 'a longer one than before' },
      // it ends every session
      mended: ['Current password', 'ada and a horse'],
      send: 'Change the password',
      done: text('Your session has ended'),
    },
  ];
}
