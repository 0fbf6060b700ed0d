import { assertLosesNothing, formsIn, hasBrowser, runStory } from '@certloop/browser';
import { findConsole } from '@certloop/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { createUser } from '../../src/projects/create-user.service.js';
import { type ConsoleStage, openConsole, password, signIn } from '../support/console.js';
import { type FormPlace, monitorForms } from '../support/console-forms.js';

const email = 'nora@example.org';

(hasBrowser() ? describe : describe.skip)('every form of the console', () => {
  let stage: ConsoleStage;
  let place: FormPlace;
  beforeAll(async () => {
    stage = await openConsole();
    const nora = await stage.newOwner(email, 'Jobs');
    const { accounts } = stage.app;
    const { projectId } = nora.keys;
    const owner = { email, checkLimit: null, pingLimit: null };
    await createUser(accounts, { ...owner, email: 'mia@example.org' });
    await createChannel(accounts, {
      ...{ projectId, kind: 'webhook', name: 'Chat', isVerified: true },
      settings: { down: { url: 'https://chat.example.org/hook' } },
    });
    await setUpProject(accounts, owner, 'Archive');
    place = {
      projectId,
      goneProjectId: (await setUpProject(accounts, owner, 'Gone')).projectId,
      checkId: (await nora.check({ name: 'Job' })).uuid,
      movedCheckId: (await nora.check({ name: 'Moved job' })).uuid,
      goneCheckId: (await nora.check({ name: 'Old job' })).uuid,
    };
    await nora.check({ name: 'Reports' });
  });
  afterAll(() => stage.close());

  test('is in the table of forms', () => {
    const folder = findConsole('@certloop/web-monitor', import.meta.url) ?? '';
    const sources = Object.values(monitorForms).flatMap((forms) => forms(place).map(({ source }) => source));
    expect(sources.toSorted()).toEqual([...formsIn(folder)].toSorted());
  });

  test.each(Object.entries(monitorForms))(
    'of %s keeps what was typed through an outage, the end of the session, and a deployment',
    async (about, formsOf) => {
      const { app, browser, url } = stage;
      const name = `forms-of-${about.replace(' ', '-')}`;
      await runStory(browser, { name, url: `${url}ui/account` }, async (story) => {
        await signIn(story, email);
        await story.page.getByRole('heading', { name: 'Your account' }).waitFor();
        const tab = await story.openTab();
        await tab.goto(`${url}api/account/state`);
        const forms = {
          page: story.page,
          tab,
          password,
          unopened: { path: `/ui/projects/${place.projectId}/badges`, part: 'badges-page' },
          account: {
            channel: 'certloop-monitor',
            path: '/api/account/',
            credentials: { email, password },
          },
          endSessions: () => app.clock.advance(31 * 60_000),
        };
        for (const row of formsOf(place)) await assertLosesNothing(forms, row);
      });
    },
  );
});
