import { randomUUID } from 'node:crypto';
import { hasBrowser, runStory } from '@certloop/browser';
import type { CheckChange } from '@certloop/contracts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { replaceMember } from '../../src/accounts/members.repository.js';
import { setPassword } from '../../src/accounts/passwords.service.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { defaultSettings, newCheck } from '../../src/checks/check.js';
import { insertChecks } from '../../src/checks/rows/checks.repository.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { createUser } from '../../src/projects/create-user.service.js';
import { passwords } from '../support/app.js';
import { type ConsoleStage, openConsole, password, signIn } from '../support/console.js';
import { copyCheck } from '../support/copy-check.js';

const minute = 60_000;

(hasBrowser() ? describe : describe.skip)('many checks in the console', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('are changed in their rows and many at once, and can be changed back', async () => {
    const email = 'ines@example.org';
    const ines = await stage.newOwner(email, 'Nightly jobs');
    const { projectId } = ines.keys;
    const { app, browser, url } = stage;
    app.clock.set(new Date(Date.now() - 2 * minute));
    for (const name of ['The chat of the team for everything that runs at night', '']) {
      await createChannel(app.accounts, {
        ...{ projectId, kind: 'webhook', name, isVerified: true },
        settings: { down: { url: 'http://127.0.0.1:2/' } },
      });
    }
    const [backup] = [
      await ines.check({ name: 'Backup', tags: 'prod', timeout: 60, grace: 3_600 }),
      await ines.check({ name: 'Reports', schedule: '0 3 * * *', tz: 'Europe/Riga' }),
    ];
    for (const name of ['Archive', 'Billing', 'Cleanup', 'نسخة احتياطية للقاعدة']) await ines.check({ name });
    await ines.check({ name: '🚀 '.repeat(30), tags: `${'x'.repeat(60)} two three four` });
    const late = await ines.check({ name: 'Mail', timeout: 60, grace: 3_600 });
    await ines.ping(late);
    await ines.ping(backup, '/fail');
    app.clock.advance(2 * minute);
    await runStory(browser, { name: 'bulk', url: `${url}ui/projects/${projectId}` }, async (story) => {
      const { page, look } = story;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const dialog = page.getByRole('dialog');
      // time stands still on the page, so that a slow machine does not miss the way back
      await page.clock.setFixedTime(new Date());
      await signIn(story, email);
      await page.getByRole('heading', { name: '1 down, 1 late, 6 new' }).waitFor();
      expect(await page.title()).toMatch(/^1 down – Nightly jobs/);
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('Backup')
        .getByText(/^for 2 min/)
        .waitFor();
      await row('Mail')
        .getByText(/^late by 1 min/)
        .waitFor();
      await row('Reports').getByText('daily at 03:00').waitFor();
      await row('Reports').getByText('Europe/Riga', { exact: true }).waitFor();
      // also for those who use no pointer
      await page.getByRole('link', { name: 'and 1 more: four', exact: true }).waitFor();
      await look('rows');

      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByRole('link', { name: 'Backup', exact: true }).focus();
      await page.keyboard.press('y');
      await row('Backup').getByText('Copied').waitFor();
      // the row with the focus of the keyboard shows its times exactly, as the pointer does
      await page.keyboard.press('j');
      const exact = `getComputedStyle(document.querySelector('tr:focus-within time'), '::after').content`;
      expect(await page.evaluate(exact)).toMatch(/^"\d+ \w+ \d{4}, [\d:]+ UTC"$/);
      const toggle = button('Webhook, for Backup');
      await toggle.click();
      await toggle.and(page.locator('[aria-pressed=true]')).waitFor();
      const channelsOf = async () => (await ines.get(`/checks/${backup.uuid}`).expect(200)).body.channels;
      await button('Ping now: Backup').click();
      await row('Backup').getByText('up', { exact: true }).waitFor();
      expect(await channelsOf()).toMatch(/^[0-9a-f-]{36}$/);
      await button('Pause: Reports').click();
      await page.getByText('1 check was paused.').waitFor();
      await button('Resume: Reports').waitFor();
      await look('undo');
      await button('Undo').click();
      await page.getByText('1 check was resumed.').waitFor();
      await button('Pause: Reports').waitFor();
      await button('Close').click();

      await page.getByLabel('Select Backup').check();
      await page.getByLabel('Select Reports').check();
      await page.getByText('2 checks selected').waitFor();
      await button('Tags').click();
      await dialog.getByLabel('Tags').fill('nightly');
      await look('tags');
      await button('Add to 2 checks').click();
      await page.getByText('2 checks were changed.').waitFor();
      await page.getByRole('link', { name: 'Only checks with the tag nightly' }).nth(1).waitFor();
      await page.getByText('selected').waitFor({ state: 'detached' });
      await page.getByLabel('Select all rows shown').check();
      await button('Integrations').click();
      await look('integrations');
      await button('Notify it for 8 checks').click();
      await page.getByText('8 checks were changed.').waitFor();
      await page.getByLabel('Select Archive').check();
      await page.getByLabel('Select Billing').check();
      await button('Delete').click();
      await dialog.getByLabel('Type the number of checks to confirm: 2').fill('2');
      await look('delete');
      await button('Delete 2 checks').click();
      await page.getByText('2 checks were deleted.').waitFor();
      await row('Archive').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Projects' }).first().click();
      await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
      await page.getByText('1 late, 4 new, 1 up').waitFor();
      expect(await page.title()).toMatch(/^1 late – Projects/);
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('c77d00');
      await look('projects');
    });
  });

  test('are selected by their filter, paused by thousands, and moved', async () => {
    const email = 'jana@example.org';
    const jana = await stage.newOwner(email, 'Everything');
    const { projectId } = jana.keys;
    const { app, browser, url } = stage;
    const first = await jana.check({ name: 'Job', tags: 'all' });
    await setUpProject(app.accounts, { email, checkLimit: null, pingLimit: null }, 'Archive');
    await app.database.transaction((tx) => copyCheck(tx, first.uuid, 5_500));
    await runStory(browser, { name: 'bulk-many', url: `${url}ui/projects/${projectId}` }, async (story) => {
      const { page, look } = story;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await page.clock.setFixedTime(new Date());
      await signIn(story, email);
      await page.getByLabel('Select all rows shown').check();
      await page.getByText('100 checks selected').waitFor();
      await button('Select all 5,501 checks that match').click();
      await button('Pause').click();
      await look('pause');
      await button('Pause 5,501 checks').click();
      await page.getByText('5,501 checks were paused.').waitFor();
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);

      await page.getByRole('searchbox').fill('5499');
      await page.getByRole('link', { name: 'Job 5499' }).click();
      await button('Resume').click();
      await button('Pause').click();
      await button('Undo').click();
      await button('Pause').waitFor();
      await button('Move').click();
      await page.getByRole('dialog').getByRole('combobox').selectOption({ label: 'Archive' });
      await look('move');
      await button('Move the check').click();
      await page.getByRole('link', { name: 'Archive' }).waitFor();
      await page.getByText('No ping has arrived yet').waitFor();
      await page.getByRole('link', { name: 'Archive' }).click();
      await page.getByRole('link', { name: 'Job 5499' }).waitFor();
    });
  });

  test('are changed part by part, and only the parts that are left are sent again', async () => {
    const email = 'kira@example.org';
    const kira = await stage.newOwner(email, 'Parts');
    const { app, browser, url } = stage;
    const first = await kira.check({ name: 'Part' });
    await app.database.transaction((tx) => copyCheck(tx, first.uuid, 5_500, '22222222'));
    const list = `${url}ui/projects/${kira.keys.projectId}`;
    await runStory(browser, { name: 'bulk-parts', url: list }, async (story) => {
      const { page, look } = story;
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      const sent: CheckChange[] = [];
      // the second request of a change does not arrive
      const loseSecond = () =>
        page.route('**/checks/bulk', (route) => {
          sent.push(route.request().postDataJSON());
          return sent.length === 2 ? route.abort('connectionreset') : route.continue();
        });
      await page.clock.setFixedTime(new Date());
      await signIn(story, email);
      await page.getByLabel('Select all rows shown').check();
      await button('Select all 5,501 checks that match').click();
      await button('Pause').click();
      await loseSecond();
      await button('Pause 5,501 checks').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('5,000 of 5,501 checks are done.').waitFor();
      await look('lost');
      await button('Go on with 501 checks').click();
      await page.getByText('5,501 checks were paused.').waitFor();
      expect(sent.map(({ after }) => typeof after)).toEqual(['undefined', 'number', 'number']);
      expect(sent[2]).toEqual(sent[1]);
      await button('Close').click();

      const rows = page.getByRole('table', { name: 'Checks' });
      await page.getByRole('searchbox').fill('Part 1');
      await page.getByText('100 checks of 1,111').waitFor();
      for (const shown of ['600 checks of 1,111', '1,100 checks of 1,111', '1,111 checks']) {
        await page.evaluate('scrollTo(0, document.body.scrollHeight)');
        await page.getByText(shown, { exact: true }).waitFor();
      }
      await page.evaluate('scrollTo(0, 0)');
      await rows.getByLabel('Select all rows shown').check();
      await page.getByText('1,111 checks selected').waitFor();
      sent.length = 0;
      await button('Tags').click();
      await dialog.getByLabel('Tags').fill('nightly');
      await button('Add to 1,111 checks').click();
      await dialog.getByText('1,000 of 1,111 checks are done.').waitFor();
      // other tags would be another change, which begins with the first check
      await button('Remove from 1,111 checks').waitFor();
      await dialog.getByLabel('Tags').fill('weekly');
      await button('Add to 1,111 checks').waitFor();
      await dialog.getByLabel('Tags').fill('nightly');
      await button('Go on with 111 checks').click();
      await page.getByText('1,111 checks were changed.').waitFor();
      expect(sent.map(({ ids }) => ids?.length)).toEqual([1_000, 111, 111]);
      // something else starts again
      await rows.getByLabel('Select all rows shown').check();
      sent.length = 0;
      await button('Pause').click();
      await button('Pause 1,111 checks').click();
      await dialog.getByText('1,000 of 1,111 checks are done').waitFor();
      await page.keyboard.press('Escape');
      await button('Resume').click();
      await page.getByText('1,111 checks were resumed.').waitFor();
      expect(sent.map(({ action, ids }) => `${action} ${ids?.length}`)).toEqual([
        'pause 1000',
        'pause 111',
        'resume 1000',
        'resume 111',
      ]);
    });
  });

  test('show a read-only member 500 checks with any names, and no control that changes anything', async () => {
    const dora = await stage.newOwner('dora@example.org', 'Everything');
    const { projectId } = dora.keys;
    const { app, browser, url } = stage;
    const { accounts, database } = app;
    const reader = await createUser(accounts, {
      email: 'emil@example.org',
      checkLimit: null,
      pingLimit: null,
    });
    await setPassword({ ...accounts, passwords }, 'emil@example.org', password);
    const createdAt = microsOf(app.clock.now());
    const names = ['نسخة احتياطية للقاعدة', '🚀 '.repeat(30), 'w'.repeat(100), 'Backup of the customers'];
    const checks = Array.from({ length: 500 }, (_, place) => {
      const name = names[place] ?? `Job ${place}`;
      const tags = place < 4 ? 'production database nightly' : '';
      return newCheck(
        { ...defaultSettings, name, tags },
        { projectId, uuid: randomUUID(), badgeUuid: randomUUID(), createdAt },
      );
    });
    await database.transaction(async (tx) => {
      await insertChecks(tx, checks);
      await replaceMember(tx, { projectId, userId: reader.id, role: 'member' });
    });
    const setRole = (role: 'member' | 'read-only') =>
      database.transaction((tx) => replaceMember(tx, { projectId, userId: reader.id, role }));
    await createChannel(accounts, {
      ...{ projectId, kind: 'slack', name: '', isVerified: true },
      settings: { url: 'http://127.0.0.1:2/' },
    });
    await app.http.get(`/ping/${checks[2]?.uuid}/fail`).expect(200);
    await runStory(browser, { name: 'many', url: `${url}ui/projects/${projectId}` }, async (story) => {
      const { page, look } = story;
      const buttons = () => page.getByRole('main').getByRole('button').allTextContents();
      const showOnlyWhatReadersMay = async () => {
        await page.getByRole('link', { name: 'Integrations' }).click();
        await page.getByRole('button', { name: 'Messages' }).waitFor();
        expect(await buttons()).toEqual(['Messages']);
        await look('integrations-read-only');
        await page.getByRole('link', { name: 'Badges' }).click();
        await page.getByRole('row', { name: /Backup of the customers/ }).waitFor();
        expect(new Set(await buttons())).toEqual(new Set(['Copy', 'Search', 'Show more']));
        await page.getByRole('link', { name: 'Settings' }).click();
        await page.getByRole('button', { name: 'Leave the project' }).waitFor();
        await page.getByRole('row', { name: /Ping key/ }).waitFor();
        expect(await buttons()).toEqual(['Leave']);
        expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0);
        await look('settings-read-only');
        // a right that ends while a dialog is open: what was typed stays, and the page follows
        await setRole('member');
        await page.getByRole('link', { name: 'Integrations' }).click();
        await page.reload();
        await page.getByRole('button', { name: 'Add an integration' }).click();
        await page.getByRole('button', { name: 'Gotify', exact: true }).click();
        await page.getByLabel('Name').fill('Too late');
        await page.getByRole('button', { name: 'Another kind' }).click();
        await page.getByRole('button', { name: 'Slack', exact: true }).click();
        expect(await page.getByLabel('Name').inputValue()).toBe('Too late');
        await page.getByLabel('Address (URL)').fill('http://127.0.0.1:2/');
        await setRole('read-only');
        await page.getByRole('button', { name: 'Save and assign to all checks' }).click();
        await page.getByRole('dialog').getByText('This needs the role member in the project').waitFor();
        expect(await page.getByLabel('Name').inputValue()).toBe('Too late');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Add an integration' }).waitFor({ state: 'detached' });
        await notice.getByRole('button', { name: 'Hide' }).click();
        expect(await buttons()).toEqual(['Messages']);
      };
      await signIn(story, 'emil@example.org');
      await page.getByText('1 down, 499 new').first().waitFor();
      await page.getByRole('link', { name: 'w'.repeat(100) }).waitFor();
      await page.getByRole('button', { name: 'New check' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill('Too late');
      await setRole('read-only');
      await page.getByRole('button', { name: 'Create the check' }).click();
      await page.getByRole('alert').getByText('This needs the role member in the project').waitFor();
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Too late');
      const notice = page.getByRole('status').filter({ hasText: 'What you may do here has changed' });
      await notice.waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'New check' }).waitFor({ state: 'detached' });
      await notice.getByRole('button', { name: 'Hide' }).click();
      await look('checks');
      const [, first] = await page.getByRole('row').all();
      expect(await first?.textContent()).toMatch(/^w{100}.*down/);
      expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(1_500);
      expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('501');
      expect(await page.getByRole('button', { name: 'New check' }).count()).toBe(0);
      await page.keyboard.press('/');
      await page.keyboard.type('customers');
      await page.getByText('1 check', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Backup of the customers' }).click();
      await page.getByText('No ping has arrived yet').waitFor();
      for (const name of ['Send a ping now', 'Pause', 'Change the schedule', 'Delete']) {
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      }
      await look('read-only');
      await page.goBack();
      await page.getByText('1 check', { exact: true }).waitFor();
      expect(await page.getByRole('searchbox').inputValue()).toBe('customers');
      await showOnlyWhatReadersMay();
    });
  });
});
