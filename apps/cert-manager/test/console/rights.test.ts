import { hasBrowser } from '@certloop/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeGroup, makeGroup } from '../support/access/groups.js';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace } from '../support/inventory.js';
import { settlePerson } from '../support/people.js';
import { entriesOf, renewedFqdn } from '../support/renewals.js';
import { providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('pages by the rights of their user', () => {
  let stage: ConsoleStage;
  beforeAll(async () => {
    stage = await startConsoleStage();
  });
  afterAll(() => stage.close());

  test('an administrator runs a renewal now, and sees that it has ended', async () => {
    const { app, ca } = stage;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const fqdn = await renewedFqdn({ app, ca, providerId, close: stage.close }, 'renewed.example.org');
    await stage.play('renewals', app.people.ada, '/renewals', async ({ page, look }) => {
      const table = page.getByRole('table', { name: 'Renewals' });
      await table.getByText('planned').waitFor();
      await page.getByText(/^Nothing is due\. Next: renewed\.example\.org in \d+ days\.$/).waitFor();
      await page.getByText('Test entries', { exact: true }).click();
      await page.getByLabel('Name to renew').fill('absent.example.org');
      await page.getByText('There is no such name.').waitFor();
      await page.getByLabel('Name to renew').fill(fqdn.fqdn);
      await page.getByLabel('Minutes from now').fill('525600');
      await page.getByRole('button', { name: 'Queue a test entry' }).click();
      await page.getByText('The test entry is queued.').waitFor();
      await table.getByText('test entry').waitFor();
      await look('planned');
      // on a phone too, where a row is a card that opens the page of the name
      await page.setViewportSize({ width: 360, height: 740 });
      await page
        .getByRole('button', { name: `Run now: ${fqdn.fqdn}` })
        .first()
        .click();
      await page.getByText(`The renewal of ${fqdn.fqdn} runs now`).waitFor();
      const isDone = async () => (await entriesOf(app, fqdn)).some(({ status }) => status === 'completed');
      while (!(await isDone()));
      await page.getByRole('link', { name: 'Failed' }).click();
      await page.getByRole('heading', { name: 'No renewal has failed' }).waitFor();
      await page.getByRole('link', { name: 'Done' }).click();
      await table.getByRole('link', { name: fqdn.fqdn }).waitFor();
    });
  });

  test('a reader sees no control that writes, and only names of readable spaces', async () => {
    const { app, ca } = stage;
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const fqdn = await renewedFqdn({ app, ca, providerId, close: stage.close }, 'read.example.org');
    const secret = await addFqdn(app, (await addSpace(app, 'Secret space')).id, 'secret.example.org');
    const { ben } = app.people;
    await grant(app, ben, 'READ', [fqdn.spaceId]);
    await stage.play('reader', ben, '/spaces', async ({ page, look }) => {
      const controls = () =>
        page.getByRole('main').locator('input, select, textarea, [role=switch], button').allInnerTexts();
      await page.getByRole('heading', { level: 2 }).getByRole('link').click();
      await page.getByRole('link', { name: fqdn.fqdn }).waitFor();
      // these only sort
      expect(await controls()).toEqual(['Name', 'State ↑', 'Expires', 'Renewal']);
      await page.getByRole('link', { name: fqdn.fqdn }).click();
      await page.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
      await page.getByText('256 bits').waitFor();
      expect((await controls()).filter((text) => text !== 'Copy')).toEqual([]);
      await look('name');
      await page.getByRole('link', { name: 'Renewals' }).click();
      await page.getByRole('table', { name: 'Renewals' }).getByText('planned').waitFor();
      expect(await controls()).toEqual([]);
      await page.goto(`${stage.url}/ui/spaces/${secret.spaceId}/fqdns/${secret.id}`);
      await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor();
      expect(await page.content()).not.toMatch(/secret/i);
    });
  });

  test('a user without permissions sees no space, and whom to ask', async () => {
    const { app } = stage;
    await stage.play('stranger', app.people.cleo, '/spaces', async ({ page, look }) => {
      await page.getByText('Ask an administrator to add you to a group').waitFor();
      expect(await page.getByRole('button', { name: 'Create a space' }).count()).toBe(0);
      await look('spaces');
    });
  });

  test('controls disappear when permissions are revoked, and the page states the reason', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Shared space');
    const dora = await settlePerson(app, { username: 'dora', isAdmin: true });
    const writers = await makeGroup(app, {
      name: 'Writers',
      permission: 'READ_WRITE',
      spaceIds: [space.id],
      userIds: [dora.id],
    });
    const changed = 'What you may do here has changed';
    await stage.play('rights-changed', dora, '/users', async ({ page, look }) => {
      const notice = page.getByRole('status').filter({ hasText: changed });
      const nav = page.getByRole('navigation', { name: 'Pages' });
      await page.getByRole('row', { name: /^cleo/ }).waitFor();
      await app.request
        .put(`/users/${dora.id}`)
        .set(app.people.ada.auth)
        .send({ isAdmin: false })
        .expect(200);
      await page.getByRole('link', { name: 'Administrators' }).click();
      // the service ends the sessions of a user whose rights it takes
      await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(dora.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
      await notice.waitFor();
      expect(await nav.getByRole('link', { name: 'Groups' }).count()).toBe(0);
      await notice.getByRole('button', { name: 'Hide' }).click();

      await nav.getByRole('link', { name: 'Spaces' }).click();
      await page.getByRole('link', { name: 'Shared space' }).click();
      const add = page.getByRole('button', { name: 'Add a name' });
      await add.click();
      await page.getByLabel('Host name').fill('late.example.org');
      await changeGroup(app, writers, { permission: 'READ' });
      await page.getByRole('button', { name: 'Add the name' }).click();
      await page.getByRole('alert').getByText('This needs READ_WRITE on the space').waitFor();
      expect(await page.getByLabel('Host name').inputValue()).toBe('late.example.org');
      await notice.getByText('This needs READ_WRITE on the space; you hold READ.').waitFor();
      await page.keyboard.press('Escape');
      await add.waitFor({ state: 'detached' });
      await look('reader');

      // without any right the space does not exist for them
      await changeGroup(app, writers, { spaceIds: [] });
      await page.reload();
      await page.getByRole('heading', { name: 'This does not exist, or you may not see it' }).waitFor();
    });
  });

  test('the list of all names has a control only for names that the user may change', async () => {
    const { app } = stage;
    const { cleo } = app.people;
    const [written, read] = [await addSpace(app, 'Written'), await addSpace(app, 'Read only')];
    const mine = await addFqdn(app, written.id, 'mine.example.org');
    const shown = await addFqdn(app, read.id, 'shown.example.org');
    await grant(app, cleo, 'READ', [written.id, read.id]);
    await stage.play('names-by-rights', cleo, '/fqdns', async ({ page, look }) => {
      const table = page.getByRole('table', { name: 'Names' });
      const controls = () => table.locator('tbody').locator('input, button').count();
      await table.getByRole('link', { name: shown.fqdn }).waitFor();
      expect(await controls()).toBe(0);
      expect(await page.getByLabel('Select all rows shown').count()).toBe(0);
      await grant(app, cleo, 'READ_WRITE', [written.id]);
      await page.reload();
      await page.getByLabel(`Select ${mine.fqdn}`).check();
      await page.getByText('1 name selected').waitFor();
      expect(await page.getByLabel(`Select ${shown.fqdn}`).count()).toBe(0);
      await table.getByText('Read only').waitFor();
      await look('selected');
      const change = page.getByRole('switch', { name: `Renew ${mine.fqdn} automatically` });
      await change.click();
      const isOn = async () => {
        const { body } = await app.request.get('/fqdns?renewal=on&q=mine').set(cleo.auth).expect(200);
        return (body as unknown[]).length === 1;
      };
      while (!(await isOn()));
      expect(await page.getByRole('switch').count()).toBe(1);
    });
  });
});
