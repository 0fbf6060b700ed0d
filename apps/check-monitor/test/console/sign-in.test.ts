import {
  assertFits,
  assertFocusReturns,
  commandsOfPage,
  failingCommands,
  filledPath,
  hasBrowser,
  hasCurl,
  openPath,
  pagePaths,
  runStory,
  tabTo,
} from '@certloop/browser';
import { findConsole } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { type ConsoleStage, openConsole, password, signIn } from '../support/console.js';

const email = 'anna@example.org';

(hasBrowser() ? describe : describe.skip)('the sign-in of the monitor', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await openConsole();
  });
  afterAll(() => stage.close());

  test('names the command that gives the first user a password', async () => {
    const { browser, url } = stage;
    await runStory(browser, { name: 'monitor-first', url }, async ({ page, look }) => {
      await page.getByText('No user has a password yet.').waitFor();
      await page.getByText(/cli\.js user password --email you@example\.org$/).waitFor();
      await look('command');
    });
  });

  test('leads to the projects, the checks of one and the states of these', async () => {
    const anna = await stage.newOwner(email, 'Jobs');
    const backup = await anna.check({ name: 'Nightly backup', tags: 'prod db', timeout: 3_600, grace: 300 });
    await anna.ping(backup, '/fail');
    await anna.check({ name: 'Reports', timeout: 86_400, grace: 3_600 });
    const owner = { email, checkLimit: null, pingLimit: null };
    await setUpProject(stage.app.accounts, owner, 'Archive');
    const { browser, url } = stage;
    await runStory(browser, { name: 'monitor', url }, async ({ page, look }) => {
      await page.getByLabel('E-mail address').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The name or the password is wrong').waitFor();
      await look('refused');
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('1 down, 1 new').waitFor();
      await look('projects');
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('img', { name: 'Last 1 run' }).waitFor();
      const [, first] = await page.getByRole('row').all();
      expect(await first?.textContent()).toMatch(/^Nightly backupprod db\s*down/);
      await look('checks');
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('report');
      await page.getByRole('option', { name: 'Reports Jobs' }).waitFor();
      await look('palette');
      await page.keyboard.press('Escape');

      // read aloud at most every ten seconds, and rows do not jump
      await page.clock.install();
      await page.reload();
      await page.getByRole('img', { name: 'Last 1 run' }).waitFor();
      await page.clock.fastForward(11_000);
      await page
        .getByRole('status')
        .getByText('1 check down', { exact: true })
        .waitFor({ state: 'attached' });
      await anna.ping(backup);
      await page.clock.fastForward(16_000);
      await page.getByRole('button', { name: '2 rows moved. Sort anew' }).click();
      await page.getByRole('button', { name: /rows moved/ }).waitFor({ state: 'detached' });
      const [, newFirst] = await page.getByRole('row').all();
      expect(await newFirst?.textContent()).toMatch(/^Reports/);
      await page.getByRole('status').getByText('1 check down').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: `Menu of ${email}` }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    });
  });

  test('asks for the checks before the scripts are there, and once', async () => {
    const { browser, url, newOwner } = stage;
    const leo = await newOwner('leo@example.org', 'Early');
    await leo.check({ name: 'Early backup' });
    const { projectId } = leo.keys;
    const project = `${url}api/account/projects/${projectId}`;
    const list = `${project}/checks?limit=100&sort=attention&include=state`;
    const wanted = [`${url}api/account/me`, project, list];
    await runStory(browser, { name: 'monitor-first-requests', url }, async (story) => {
      const { page } = story;
      await signIn(story, 'leo@example.org');
      await page.getByRole('button', { name: 'Menu of leo@example.org' }).waitFor();
      await page.goto('about:blank');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const arrived = Promise.all(
        wanted.map((one) => page.waitForResponse((response) => response.url() === one)),
      );
      await page.route('**/assets/index-*.js', async (route) => {
        await arrived;
        await route.continue();
      });
      await page.goto(`${url}ui/projects/${projectId}`);
      await page.getByRole('link', { name: 'Early backup' }).waitFor();
      expect(asked.filter((one) => wanted.includes(one)).sort()).toEqual(wanted.toSorted());
    });
  });

  test('leads to a check by the keyboard alone, on a phone and in forced colors', async () => {
    const { browser, url, newOwner } = stage;
    await newOwner('kim@example.org', 'Keyboard');
    await runStory(browser, { name: 'monitor-keyboard', url }, async ({ page }) => {
      await page.setViewportSize({ width: 360, height: 740 });
      await page.emulateMedia({ forcedColors: 'active' });
      const button = (text: string) => page.getByRole('button', { name: text, exact: true });
      const link = (text: string) => page.getByRole('link', { name: text, exact: true });
      const enter = async (target: ReturnType<typeof button>) => {
        await tabTo(page, target);
        await page.keyboard.press('Enter');
      };
      await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('kim@example.org');
      await tabTo(page, page.getByLabel('Password', { exact: true }));
      await page.keyboard.type(password);
      await page.keyboard.press('Enter');
      await page.getByText('This project has no check yet').waitFor();
      await enter(link('Projects'));
      await link('Keyboard').waitFor();
      await assertFocusReturns(page, ['Create a project', 'Menu of kim@example.org']);
      await assertFits(page);
      await enter(link('Keyboard'));
      await page.getByText('This project has no check yet').waitFor();
      await assertFocusReturns(page, ['New check']);
      const typeInDialog = async (text: string) => {
        await page.locator('[role=dialog] input:focus').waitFor();
        await page.keyboard.type(text);
      };
      await enter(button('New check'));
      await typeInDialog('Nightly backup');
      await enter(button('Create the check'));
      await page.getByText('No ping has arrived yet').waitFor();
      await assertFits(page);
      await enter(button('Send a ping now'));
      await page.getByText('The next one is expected on').waitFor();
      await assertFocusReturns(page, ['Change the schedule', 'Delete']);
      await page.keyboard.press('g');
      await page.keyboard.press('p');
      await page.getByRole('heading', { name: 'Projects' }).waitFor();
      await page.keyboard.press('Control+k');
      await typeInDialog('backup');
      await page.getByRole('option', { name: 'Nightly backup Keyboard' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('The next one is expected on').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Nightly backup' }).waitFor();
      await enter(link('Settings'));
      await assertFocusReturns(page, [
        'Add a member',
        'Replace the ping key',
        'Revoke the ping key',
        'Delete the project',
      ]);
      await assertFits(page);
      await enter(link('Integrations'));
      await assertFocusReturns(page, ['Add an integration']);
      await assertFits(page);
    });
  });

  (hasCurl() ? test : test.skip)(
    'leads to pages that show their requests as commands that work',
    async () => {
      const { browser, url, newOwner } = stage;
      const owner = await newOwner('carla@example.org', 'Commands');
      const ids = {
        projectId: owner.keys.projectId,
        checkId: (await owner.check({ name: "Carla's backup" })).uuid,
      };
      const variables = { USER_NAME: 'carla@example.org', PASSWORD: password };
      await runStory(browser, { name: 'monitor-curl', url: `${url}ui/account` }, async (story) => {
        const { page, look } = story;
        await signIn(story, 'carla@example.org');
        await page.getByRole('heading', { name: 'Your account' }).waitFor();
        const shown: string[] = [];
        for (const path of pagePaths(findConsole('@certloop/web-monitor', import.meta.url) ?? '')) {
          await openPath(page, `/ui${filledPath(path, ids)}`);
          const commands = await commandsOfPage(page);
          expect([path, commands]).not.toEqual([path, []]);
          shown.push(...commands);
        }
        expect(await failingCommands(shown, variables)).toEqual([]);
        await page.getByRole('button', { name: 'Copy as curl' }).first().click();
        await look('page');
      });
    },
  );
});
