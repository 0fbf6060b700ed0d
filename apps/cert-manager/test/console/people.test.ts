import { hasBrowser } from '@certloop/browser';
import type { UserPermissions } from '@certloop/contracts';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeGroup } from '../support/access/groups.js';
import type { TestApp } from '../support/app.js';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addUser, grant } from '../support/factories.js';
import { addSpace } from '../support/inventory.js';
import { type Person, settlePerson } from '../support/people.js';

const longName = `${'team-of-a-very-long-name-'.repeat(3)}قسم الشبكات 🛡️`;

(hasBrowser() ? describe : describe.skip)('pages of users and groups', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  /** Level of each user on each space, as `user, space: level`. */
  async function levelsOf(app: TestApp, people: readonly Person[], spaces: ReadonlyMap<string, string>) {
    const levels = await Promise.all(
      people.map(async ({ id, username }) => {
        const path = `/users/${id}/permissions`;
        const { body } = await app.request.get(path).set(app.people.ada.auth).expect(200);
        return [...spaces].map(
          ([spaceId, name]) => [`${username}, ${name}`, levelIn(body, spaceId)] as const,
        );
      }),
    );
    return new Map(levels.flat());
  }

  test('lists in the preview of a group the changes of saving it', async () => {
    const { app } = stage;
    const { ben, cleo } = app.people;
    const dora = await settlePerson(app, { username: 'dora' });
    const spaces = new Map<string, string>();
    for (const name of ['Alpha', 'Beta', longName]) spaces.set((await addSpace(app, name)).id, name);
    const [alpha = '', beta = ''] = spaces.keys();
    await grant(app, ben, 'FULL_ACCESS', [beta]);
    await grant(app, cleo, 'READ', [alpha]);
    const group = { name: 'Operators', spaceIds: [alpha, beta], userIds: [ben.id, cleo.id] };
    await makeGroup(app, group);
    const people = [ben, cleo, dora];
    const before = await levelsOf(app, people, spaces);

    await stage.play('groups', app.people.ada, '/groups', async ({ page, look }) => {
      await page.getByRole('link', { name: 'Operators' }).click();
      const preview = page.getByRole('region', { name: 'Preview' });
      await preview.getByText('Saving changes no rights.').waitFor();
      await page.getByRole('radio', { name: /^READ_WRITE/ }).check();
      await page.getByRole('checkbox', { name: longName }).check();
      await page.getByRole('button', { name: 'Remove cleo' }).click();
      await page.getByLabel('Search: Members').fill('DOR');
      await page.getByRole('checkbox', { name: /^ben/ }).waitFor({ state: 'detached' });
      await page.getByRole('checkbox', { name: /^dora/ }).check();
      await preview.getByRole('row', { name: /^dora/ }).waitFor();
      const outlined = await outlinedCells(page);
      await preview.scrollIntoViewIfNeeded();
      await look('preview');
      await page.getByRole('button', { name: 'Save the group' }).click();
      await page.getByText('The group is saved.').waitFor();
      const after = await levelsOf(app, people, spaces);
      const changed = [...before].filter(([cell, level]) => after.get(cell) !== level);
      expect(outlined.toSorted()).toEqual(
        changed.map(([cell, level]) => `${cell}: ${level} → ${after.get(cell)}`).toSorted(),
      );
      expect(outlined).toHaveLength(6);
      await preview.getByText('Saving changes no rights.').waitFor();

      await page.getByRole('button', { name: 'Delete' }).click();
      const remove = page.getByRole('button', { name: 'Delete the group' });
      expect(await remove.isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      expect(
        await page.getByRole('button', { name: 'Delete' }).evaluate((node) => node.matches(':focus')),
      ).toBe(true);
    });
  });

  test('lists what a large change of a group changes, and warns about all spaces', async () => {
    const { app } = stage;
    const { ben } = app.people;
    const spaceIds: string[] = [];
    for (let number = 1; number <= 21; number += 1) spaceIds.push((await addSpace(app, `Team ${number}`)).id);
    const group = await makeGroup(app, { name: 'All teams', spaceIds, userIds: [ben.id] });
    await stage.play('large-group', app.people.ada, `/groups/${group.id}`, async ({ page, look }) => {
      const preview = page.getByRole('region', { name: 'Preview' });
      await preview.getByText('Saving changes no rights.').waitFor();
      await page.getByRole('radio', { name: /^READ_WRITE/ }).check();
      await preview.getByText('Saving changes 21 rights.').waitFor();
      await preview.getByText('ben on Team 21: READ → READ_WRITE').waitFor();
      expect(await preview.getByRole('listitem').count()).toBe(21);
      expect(await preview.getByRole('table').count()).toBe(0);
      await look('list');
      expect(await page.getByRole('radio', { name: /^All spaces/ }).isDisabled()).toBe(true);
      await page.getByRole('radio', { name: /^FULL_ACCESS/ }).check();
      await page.getByRole('radio', { name: /^All spaces/ }).check();
      await page.getByText('Members may do everything in all spaces').waitFor();
      await preview.getByText('ben on All other spaces: nothing → FULL_ACCESS').waitFor();
      await look('all-spaces');
    });
  });

  test('creates, changes, disables and deletes a user, and shows faults at their fields', async () => {
    const { app } = stage;
    const { ada, cleo } = app.people;
    for (let count = 0; count < 6; count += 1) await addUser(app);
    await addUser(app, { username: 'a.very.long.user.name@of-the-department-of-networks.example.org' });
    await makeGroup(app, { name: longName, userIds: [cleo.id] });
    await stage.play('users', ada, '/users', async ({ page, look }) => {
      await page.getByRole('row', { name: /^cleo/ }).waitFor();
      await look('list');
      await page.getByRole('button', { name: 'Create a user' }).click();
      await page.getByLabel('User name').fill('ben');
      await page.getByLabel('E-mail address').fill('eve@example.org');
      await page.getByLabel('First password').fill('correct horse battery');
      await page.getByRole('button', { name: 'Create the user' }).click();
      await page.locator('[aria-invalid=true]').waitFor();
      await look('fault');
      await page.getByLabel('User name').fill('eve');
      await page.getByRole('checkbox', { name: longName }).check();
      await page.getByRole('button', { name: 'Create the user' }).click();
      await page.getByRole('heading', { name: 'eve' }).waitFor();
      await page.getByRole('link', { name: longName }).waitFor();

      await page.getByLabel('E-mail address').fill('eve@example.net');
      await page.getByRole('button', { name: 'Save the changes' }).click();
      await page.getByText('The changes are saved.').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByText('disabled').waitFor();
      const { body } = await app.request.get('/users?q=eve').set(ada.auth).expect(200);
      expect(body).toMatchObject([{ email: 'eve@example.net', enabled: false, isAdmin: false }]);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type eve to delete it').fill('eve');
      await page.getByRole('button', { name: 'Delete the user' }).click();
      await page.getByRole('heading', { name: 'Users' }).waitFor();

      await page.getByLabel('Search users').fill('CLEO');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('row', { name: /^ada/ }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'cleo' }).click();
      await page.getByRole('button', { name: 'Revoke test' }).click();
      await page.getByRole('button', { name: 'Revoke the token' }).click();
      await page.getByText('cleo has no API token.').waitFor();
      await look('user');
      await app.request.get('/auth/me').set(cleo.auth).expect(401);

      await page.getByRole('link', { name: 'Users', exact: true }).last().click();
      await page.getByRole('link', { name: 'Administrators' }).click();
      await page.getByRole('row', { name: /^ben/ }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'ada', exact: true }).click();
      await page.getByText('It can be neither disabled nor deleted.').waitFor();
      expect(await page.getByRole('button', { name: 'Disable' }).isDisabled()).toBe(true);
    });
  });

  test('revokes the API tokens of a user with a new password, unless its box is cleared', async () => {
    const { app } = stage;
    const eva = await settlePerson(app, { username: 'eva' });
    await stage.play('user-password', app.people.ada, `/users/${eva.id}`, async ({ page, look }) => {
      const revoke = page.getByRole('checkbox', { name: 'With a new password, revoke all API tokens' });
      const saved = page.getByText('The changes are saved.');
      const give = async (password: string) => {
        await page.getByLabel('New password', { exact: true }).fill(password);
        await saved.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Save the changes' }).click();
        await saved.waitFor();
      };
      expect(await revoke.isChecked()).toBe(true);
      await revoke.uncheck();
      await give('seven blue teapots');
      await app.request.get('/auth/me').set(eva.auth).expect(200);
      await revoke.check();
      await give('eight blue teapots');
      await look('saved');
      await app.request.get('/auth/me').set(eva.auth).expect(401);
    });
  });

  test('shows others only that administrators see them', async () => {
    await stage.play('people-stranger', stage.app.people.ben, '/users', async ({ page }) => {
      for (const path of ['/users', `/users/${stage.app.people.ada.id}`, '/groups', '/new-group']) {
        await page.goto(`${stage.url}/ui${path}`);
        await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
        await page.getByText('An administrator can make you one.').waitFor();
      }
      const nav = page.getByRole('navigation', { name: 'Pages' });
      expect(await nav.getByRole('link').allInnerTexts()).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/Users|Groups/)]),
      );
      expect(await page.content()).not.toContain(stage.app.people.ada.email);
    });
  });
});

function levelIn({ accessibleSpaces, permissions }: UserPermissions, spaceId: string): string {
  if (permissions.canDeleteFqdn[spaceId] === true) return 'FULL_ACCESS';
  if (permissions.canCreateFqdn[spaceId] === true) return 'READ_WRITE';
  return accessibleSpaces.includes(spaceId) ? 'READ' : 'nothing';
}

/** The outlined cells of the preview, as `user, space: before → after`. */
function outlinedCells(page: { evaluate(script: string): Promise<unknown> }): Promise<string[]> {
  return page.evaluate(`[...document.querySelectorAll('.cl-grid td')]
    .filter((cell) => getComputedStyle(cell).outlineStyle === 'solid')
    .map((cell) => {
      const column = cell.closest('table').tHead.rows[0].cells[cell.cellIndex];
      return cell.parentElement.cells[0].textContent + ', ' + column.textContent + ': ' + cell.textContent;
    })`) as Promise<string[]>;
}
