import {
  commandsOfPage,
  failingCommands,
  filledPath,
  hasBrowser,
  hasCurl,
  openPath,
  pagePaths,
} from '@certloop/browser';
import { findConsole } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeGroup } from '../support/access/groups.js';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { certificatesOf, renewedFqdn } from '../support/renewals.js';
import { providerOf } from '../support/signing.js';

/** A form that judges what the user chooses, and loads nothing before. */
const loadsNothing = new Set(['/upload-csrs']);

const canRun = [hasBrowser(), hasCurl()].every(Boolean);

(canRun ? describe : describe.skip)('the pages of the console', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('each show the requests by which they are loaded as commands that work', async () => {
    const { app, ca, close } = stage;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const fqdn = await renewedFqdn({ app, ca, providerId, close }, 'curl.example.org');
    const { ada, ben } = app.people;
    const group = await makeGroup(app, { name: "Ben's", permission: 'READ', spaceIds: [fqdn.spaceId] });
    const [certificate] = await certificatesOf(app, fqdn);
    const ids = {
      spaceId: fqdn.spaceId,
      fqdnId: fqdn.id,
      providerId,
      certId: certificate?.id ?? '',
      userId: ben.id,
      groupId: group.id,
    };
    const variables = { TOKEN: ada.token, USER_NAME: ada.username, PASSWORD: ada.password };
    const paths = pagePaths(findConsole('@certloop/web-manager', import.meta.url) ?? '');
    await stage.play('curl', ada, '/account', async ({ page, look }) => {
      const shown: string[] = [];
      for (const path of paths) {
        await openPath(page, `/ui${filledPath(path, ids)}`);
        const commands = await commandsOfPage(page);
        if (!loadsNothing.has(path)) expect([path, commands]).not.toEqual([path, []]);
        shown.push(...commands);
      }
      // ada has no picture
      expect(await failingCommands(shown, variables)).toEqual([expect.stringMatching(/^404 .*\/avatar$/)]);
      await page.getByRole('button', { name: 'Copy as curl' }).first().click();
      await page.getByText('is a file with the cookie of a sign-in').waitFor();
      await look('page');
    });
  });
});
