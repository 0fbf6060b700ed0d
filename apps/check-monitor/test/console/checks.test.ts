import { hasBrowser, runStory } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listProjectChannels, updateChannel } from '../../src/channels/channels.repository.js';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { microsOf } from '../../src/instants.js';
import { createUser } from '../../src/projects/create-user.service.js';
import { type ConsoleStage, openConsole, signIn } from '../support/console.js';
import { type Recorder, startRecorder } from '../support/recorder.js';

const minute = 60_000;

(hasBrowser() ? describe : describe.skip)('checks in the console', () => {
  let stage: ConsoleStage;
  let target: Recorder;
  beforeAll(async () => {
    target = await startRecorder();
    const mail = { port: 0, host: '127.0.0.1', domain: 'pings.example.org', sizeLimit: 1_000 };
    stage = await openConsole({ mail });
  });
  afterAll(async () => {
    await stage.close();
    await target.close();
  });

  const tick = async (ms: number) => {
    stage.app.clock.advance(ms);
    await stage.app.tick();
    await stage.app.deliver();
  };

  test('tests an integration before it is saved', async () => {
    const email = 'berta@example.org';
    const berta = await stage.newOwner(email, 'Backups');
    const { projectId } = berta.keys;
    const { browser, url } = stage;
    await runStory(browser, { name: 'integrations', url }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      // the only project is opened at once
      await page.getByText('This project has no check yet').waitFor();
      await look('no-check');
      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByText('No one gets the alerts of this project').waitFor();
      await page.getByRole('button', { name: 'Add an integration' }).click();
      await page.getByRole('button', { name: 'Discord' }).waitFor();
      await look('kinds');
      await page.getByLabel('Search kinds').fill('slac');
      await page.getByRole('button', { name: 'Discord' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Slack', exact: true }).click();
      await page.getByLabel('Address (URL)').fill('not an address');
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.locator('[aria-invalid=true]').waitFor();
      expect(await page.getByLabel('Address (URL)').inputValue()).toBe('not an address');
      await page.getByLabel('Address (URL)').fill(target.url);
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test message was sent').waitFor();
      await look('new');
      expect(target.requests).toHaveLength(1);
      await berta.check({ name: 'Nightly' });
      await page.getByRole('button', { name: 'Save and assign to all checks' }).click();
      await page.getByRole('link', { name: 'Checks that notify Slack: 1' }).waitFor();
      await page.getByText('not used yet').waitFor();
      const { app } = stage;
      const switchOff = async () => {
        await app.database.transaction(async (tx) => {
          for (const { id } of await listProjectChannels(tx, projectId)) {
            await updateChannel(tx, id, {
              disabledAt: microsOf(app.clock.now()),
              lastError: 'HTTP status 410',
            });
          }
        });
        await page.reload();
        await page.getByText('switched off').waitFor();
      };
      await switchOff();
      await page.getByText('alerts reach no one').waitFor();
      await look('off');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('It was switched off, as its target refused the alerts for good').waitFor();
      await page.getByText('Not shown. Leave it empty to keep what is stored.').waitFor();
      await page.getByLabel('Name').fill('The chat of the team');
      await look('edit');
      await page.getByRole('button', { name: 'Save and switch on' }).click();
      await page.getByText('not used yet').waitFor();
      expect(await page.getByText('alerts reach no one').count()).toBe(0);
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('Sent.').waitFor();
      expect(target.requests).toHaveLength(2);
      await page.getByRole('button', { name: 'Messages' }).click();
      await page.getByRole('dialog').getByText('test or notice').waitFor();
      await page.getByRole('dialog').getByText('delivered').waitFor();
      await page.keyboard.press('Escape');
      await switchOff();
      await page.getByRole('button', { name: 'Switch on again' }).click();
      await page.getByText('switched off').waitFor({ state: 'detached' });
    });
  });

  test('says in red that no one is notified, until a test has arrived', async () => {
    const email = 'dina@example.org';
    const dina = await stage.newOwner(email, 'Silent');
    const { projectId } = dina.keys;
    const { browser, url } = stage;
    target.reset();
    await runStory(browser, { name: 'silent', url }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      const steps = page.getByRole('list', { name: 'First steps' });
      await steps.getByText('send a test').waitFor();
      expect(await steps.getByText('done').count()).toBe(0);
      await dina.check({ name: 'Nightly' });
      await page.getByRole('link', { name: 'Projects', exact: true }).first().click();
      const inList = page.getByRole('table', { name: 'Projects' }).locator('[data-tone=bad]');
      await inList.getByText('no one is notified').waitFor();
      await look('projects');
      await page.getByRole('link', { name: 'Silent' }).click();
      const notice = page.getByRole('region', { name: 'Whether people are notified' });
      await notice.getByText('1 check has no integration to notify.').waitFor();
      await look('checks');
      const { uuid } = (await dina.get('/checks/')).body.checks[0];
      await page.goto(`${url}ui/projects/${projectId}/checks/${uuid}`);
      const card = page.getByRole('region', { name: 'Who is notified' });
      await card.locator('[data-tone=bad]').getByText('no one is notified').waitFor();
      await look('check');
      const settings = { url: target.url };
      await createChannel(stage.app.accounts, {
        projectId,
        kind: 'slack',
        name: 'Ops',
        isVerified: true,
        settings,
      });
      await page.reload();
      await card.getByText('Ops').waitFor();
      expect(await card.getByText('no one is notified').count()).toBe(0);
      await card.getByRole('switch', { name: 'Ops' }).press('Space');
      await card.getByText('no one is notified').waitFor();
      await page.getByRole('link', { name: 'Silent' }).click();
      await notice.getByText('No message or test has arrived yet.').waitFor();
      await notice.getByRole('link', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('works').waitFor();
      await page.getByRole('link', { name: 'Checks', exact: true }).click();
      await page.getByText('Nightly').waitFor();
      await notice.waitFor({ state: 'detached' });
    });
  });

  test('shows what a schedule means while it is typed, and creates the check', async () => {
    const email = 'cilla@example.org';
    await stage.newOwner(email, 'Schedules');
    const { browser, url } = stage;
    await runStory(browser, { name: 'new-check', url }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      await page.getByRole('button', { name: 'New check' }).click();
      await page.getByLabel('Name').fill('Nightly backup');
      await page.getByRole('radio', { name: 'Cron' }).check();
      // the clocks of Riga skip this time each year
      await page.getByRole('textbox', { name: 'Cron line' }).fill('30 3 * 3 7L');
      await page.getByLabel('Time zone of the schedule').fill('Europe/Riga');
      await page.getByText('The clocks skip its local time on this day').first().waitFor();
      // beside the zone of the schedule that of the page, here UTC
      await page
        .getByText(/UTC\+03:00 \(Europe\/Riga\) \(.*, 01:00:00 UTC, in /)
        .first()
        .waitFor();
      await page.getByText(/^Without a ping, it goes down on .*, 02:00:00 UTC\.$/).waitFor();
      await look('preview');
      await page.getByRole('textbox', { name: 'Cron line' }).fill('61 * * * *');
      await page.getByText('It is not a valid cron or OnCalendar expression.').waitFor();
      expect(await page.getByRole('button', { name: 'Create the check' }).isDisabled()).toBe(true);
      await page.getByRole('radio', { name: 'Simple' }).check();
      await page.getByLabel('Period', { exact: true }).fill('1');
      await page.getByLabel('Unit of period').selectOption('minutes');
      await page.getByText('A ping is expected every 1 minute.').waitFor();
      // a preview that fails holds up no one
      await page.route('**/schedule-preview?*', (route) => route.abort());
      await page.getByLabel('Period', { exact: true }).fill('2');
      await page.getByRole('dialog').getByText('The service does not answer.').waitFor();
      expect(await page.getByRole('button', { name: 'Create the check' }).isEnabled()).toBe(true);
      await look('no-preview');
      await page.getByRole('button', { name: 'Create the check' }).click();
      await page.getByText('No ping has arrived yet').waitFor();
      await page.getByText(/^[0-9a-f-]{36}@pings\.example\.org$/).waitFor();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.keyboard.press('y');
      await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
      await look('created');
    });
  });

  test('turns green, late and down without a reload, and the link of its alert opens it', async () => {
    const email = 'berit@example.org';
    const berit = await stage.newOwner(email, 'Alerts');
    const { browser, url, app } = stage;
    await createChannel(app.accounts, {
      projectId: berit.keys.projectId,
      kind: 'slack',
      name: '',
      isVerified: true,
      settings: { url: target.url },
    });
    const { uuid } = await berit.check({ name: 'Backup', timeout: 60, grace: 60, channels: '*' });
    target.reset();
    // what is moved below ends at the present, as times on the page are relative to it
    app.clock.set(new Date(Date.now() - 3 * minute));
    await runStory(browser, { name: 'check', url: `${url}ui/checks/${uuid}` }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      await page.getByText('No ping has arrived yet').waitFor();
      await app.http.post(`/ping/${uuid}/start`).expect(200);
      app.clock.advance(2_500);
      await app.http.post(`/ping/${uuid}`).type('text/plain').send('12 files, 3 MB').expect(200);
      await page.getByText('12 files, 3 MB').waitFor();
      await page.getByText('#2 took 2.5 s').waitFor();
      await page.getByRole('link', { name: '#2', exact: true }).click();
      const chosen = (n: number) => page.getByRole('region', { name: `Ping ${n}`, exact: true });
      await chosen(2).getByText('12 files, 3 MB').waitFor();
      expect(page.url()).toMatch(/#2$/);
      await look('ping');
      // the address alone leads there
      await page.reload();
      await chosen(2).getByText('#2 took 2.5 s').waitFor();
      await chosen(2).getByRole('link', { name: 'Hide it' }).click();
      await chosen(2).waitFor({ state: 'detached' });
      await page.goto(`${page.url()}#99`);
      await chosen(99).getByText('No ping #99 is stored.').waitFor();
      await chosen(99).getByRole('link', { name: 'Hide it' }).click();
      expect(await page.title()).toMatch(/^Backup/);
      await tick(70_000);
      await page.getByText('has not arrived. The check goes down on').waitFor();
      await tick(60_000);
      await page.getByText('No ping has arrived since one was expected').waitFor();
      await page.getByText('“down” to Slack: delivered').waitFor();
      expect(await page.title()).toMatch(/^down – Backup/);
      expect(await page.locator('link[rel="icon"]').getAttribute('href')).toContain('d0202c');
      await page.getByLabel('From a').selectOption('Cron line');
      const days = page.getByRole('region', { name: 'History' });
      await days.getByText(/^Down on 1 of the last 90 days, \d+ s in all\.$/).waitFor();
      await days.getByText('Show as a table').first().click();
      await days.getByRole('table', { name: 'Days with a downtime' }).getByText(/ s$/).waitFor();
      await days.getByRole('img', { name: /: down for / }).focus();
      await days
        .getByRole('paragraph')
        .getByText(/: down for /)
        .waitFor();
      await page.keyboard.press('ArrowLeft');
      await days
        .getByRole('paragraph')
        .getByText(/: not down$/)
        .waitFor();
      await look('down');

      expect(target.requests).toHaveLength(1);
      const link: string = JSON.parse(target.requests[0]?.body ?? '').attachments[0].title_link;
      const { pathname, search } = new URL(link);
      await page.goto(`${url}${pathname.slice(1)}${search}`);
      await page.getByRole('link', { name: 'Open in the console' }).click();
      await page.getByText('No ping has arrived since one was expected').waitFor();
      await page.getByRole('button', { name: 'Send a ping now' }).click();
      await page.getByText(/The next one is expected on \d+ \w+ \d{4}, [\d:]+ UTC\./).waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('It is paused').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('No ping has arrived yet').waitFor();
      await page.getByRole('button', { name: 'Change the schedule' }).click();
      await page.getByText('A ping is expected every 1 minute.').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Tags').fill('nightly');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('nightly', { exact: true }).waitFor();
      // alerts that are not sent yet would stay
      await tick(0);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('button', { name: 'Clear the history' }).click();
      await page.getByText('Nothing has happened yet.').waitFor();
      await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Backup (copy)' }).waitFor();
      // the way to ping that was chosen for another check
      await page.getByText(/^0 3 \* \* \* \/path\/to\/job && curl/).waitFor();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByLabel('Type Backup (copy) to delete it').fill('Backup (copy)');
      await page.getByRole('button', { name: 'Delete the check' }).click();
      await page.getByRole('link', { name: 'Only checks with the tag nightly' }).click();
      await page.getByRole('button', { name: 'tag nightly' }).waitFor();
      await page.getByRole('link', { name: 'Backup', exact: true }).waitFor();
    });
  });

  test('shows since when nothing was loaded, and when the next attempt is', async () => {
    const email = 'dora@example.org';
    await (await stage.newOwner(email, 'Outages')).check({ name: 'Backup' });
    const { browser, url } = stage;
    await runStory(browser, { name: 'as-of', url }, async (story) => {
      const { page, look } = story;
      await page.clock.install();
      await page.reload();
      await signIn(story, email);
      const link = page.getByRole('main').getByRole('link', { name: 'Backup' });
      await link.waitFor();
      const strip = page
        .getByRole('status')
        .getByText(/^As of /)
        .first();
      for (const open of [() => Promise.resolve(), () => link.click()]) {
        await open();
        await page.getByRole('heading', { name: 'Backup' }).or(link).first().waitFor();
        await page.route('**/api/account/**', (route) => route.abort());
        await page.clock.fastForward(16_000);
        await page.getByText('The service does not answer since then.').waitFor();
        await page.getByText(/Trying again in \d+ s\./).waitFor();
        await look('away');
        await page.unroute('**/api/account/**');
        await page.clock.fastForward(21_000);
        await strip.waitFor({ state: 'detached' });
      }
      await page.context().setOffline(true);
      await page.getByText('This browser is offline.').waitFor();
      await page.context().setOffline(false);
      await strip.waitFor({ state: 'detached' });
    });
  });

  test('explains a schedule in Riga with pings in UTC, and one click corrects it', async () => {
    const email = 'clara@example.org';
    const clara = await stage.newOwner(email, 'Reports');
    const check = await clara.check({
      name: 'Reports',
      schedule: '0 3 * * *',
      tz: 'Europe/Riga',
      grace: 3_600,
    });
    const now = new Date();
    const today = new Date(now).setUTCHours(3, 1, 0, 0);
    for (let days = 5; days >= 1; days -= 1) {
      stage.app.clock.set(new Date(today - days * 86_400_000));
      await clara.ping(check);
    }
    stage.app.clock.set(now);
    const { browser, url } = stage;
    await runStory(browser, { name: 'zone', url: `${url}ui/checks/${check.uuid}` }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      await page.getByText('5 of the last 5 pings fit this schedule in UTC, none in Europe/Riga.').waitFor();
      await look('hint');
      await page.getByRole('button', { name: 'Change the schedule' }).click();
      await page.getByText('From the last 5 pings this looks like 0 3 * * * UTC.').waitFor();
      // beside the page, so that what the check did stays in view
      const drawer = await page.getByRole('dialog', { name: 'Change the schedule' }).boundingBox();
      expect(drawer).toMatchObject({ y: 0, height: 900 });
      expect((drawer?.x ?? 0) + (drawer?.width ?? 0)).toBe(1440);
      expect(drawer?.x).toBeGreaterThan(600);
      await look('suggestion');
      await page.getByRole('button', { name: 'Use this schedule' }).click();
      await page.getByText('looks like').waitFor({ state: 'detached' });
      expect(await page.getByLabel('Time zone of the schedule').inputValue()).toBe('UTC');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Use UTC' }).click();
      await page.getByText('0 3 * * * UTC').waitFor();
      await page.getByText('pings fit this schedule').waitFor({ state: 'detached' });
    });
    expect((await clara.get(`/checks/${check.uuid}`).expect(200)).body).toMatchObject({ tz: 'UTC' });
  });

  test('adds members, creates keys once, copies badges, and renames and deletes a project', async () => {
    const email = 'frida@example.org';
    const frida = await stage.newOwner(email, 'Warehouse');
    const { projectId } = frida.keys;
    const { browser, url, app } = stage;
    await createUser(app.accounts, { email: 'gert@example.org', checkLimit: null, pingLimit: null });
    await frida.check({
      name: 'Stock “count” [daily]',
      slug: 'stock',
      tags: `stock ${'long-'.repeat(16)}tag`,
    });
    const name = 'The warehouse of the north 🚀 and everything that is counted in it each night';
    await runStory(browser, { name: 'settings', url: `${url}ui/projects/${projectId}` }, async (story) => {
      const { page, look } = story;
      await signIn(story, email);
      await page.getByRole('link', { name: 'Badges' }).click();
      const badge = page.getByRole('row', { name: /Stock “count”/ });
      await badge.getByText('![Stock “count” \\[daily\\]](').waitFor();
      await page.getByRole('combobox', { name: 'Copy as' }).selectOption('html');
      await page.getByLabel('States').selectOption('up, late or down');
      await badge.getByText(/<img src=".*\/b\/3\/.*\.svg" alt=/).waitFor();
      await page.getByRole('img', { name: 'Badge of stock', exact: true }).waitFor();
      await page.waitForFunction('[...document.images].every((one) => one.naturalWidth > 0)');
      // a long one becomes smaller as a whole
      const shapes = `[...document.querySelectorAll('main td img')].map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return (width * one.naturalHeight) / (height * one.naturalWidth);
      })`;
      const squeezed = (await page.evaluate<number[]>(shapes)).filter((one) => Math.abs(one - 1) > 0.05);
      expect(squeezed).toEqual([]);
      await look('badges');
      await page.getByRole('searchbox', { name: 'Search checks' }).fill('nothing');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('No check matches.').waitFor();

      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByLabel('E-mail address').fill('unknown@example.org');
      await page.getByRole('button', { name: 'Add the member' }).click();
      await page.getByText('There is no user unknown@example.org').waitFor();
      await look('refused');
      await page.getByLabel('E-mail address').fill('gert@example.org');
      await page.getByRole('button', { name: 'Add the member' }).click();
      // not that of the member added before, which a slow machine receives later
      const changed = page.waitForResponse(
        (response) => response.request().postData()?.includes('read-only') === true,
      );
      await page.getByLabel('Role of gert@example.org').selectOption('read-only');
      expect(await (await changed).json()).toMatchObject({ role: 'read-only' });
      await page.getByRole('button', { name: 'Replace the ping key' }).click();
      await page.getByRole('button', { name: 'Replace the key' }).click();
      await page.getByText('Copy the key now').waitFor();
      const key = (await page.locator('pre').first().textContent()) ?? '';
      await look('key');
      await page.keyboard.press('Escape');
      await app.http.get(`/ping/${key}/stock`).expect(200);
      await page.getByRole('button', { name: 'Revoke the ping key' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      await page.getByRole('button', { name: 'Create the ping key' }).waitFor();
      await app.http.get(`/ping/${key}/stock`).expect(404);
      await page.getByLabel('Name').fill(name);
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('heading', { name }).waitFor();
      await look('settings');
      await page.getByRole('button', { name: 'Remove gert@example.org' }).click();
      await page.getByRole('button', { name: 'Remove the member' }).click();
      await page.getByLabel('Role of gert@example.org').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Delete the project' }).click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByRole('button', { name: 'Delete the project' }).isDisabled()).toBe(true);
      await dialog.getByLabel(`Type ${name} to delete it`).fill(name);
      await dialog.getByRole('button', { name: 'Delete the project' }).click();
      await page.getByText('You have no project yet').waitFor();
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByText('0 checks of at most').waitFor();
      await page.getByRole('region', { name: 'Display' }).getByRole('radio', { name: 'UTC' }).check();
      await look('account');
    });
  });
});
