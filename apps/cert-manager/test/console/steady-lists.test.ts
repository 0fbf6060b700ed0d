import { hasBrowser, type Story } from '@certloop/browser';
import type { Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleStage, startConsoleStage } from '../support/console.js';
import { addGroup } from '../support/factories.js';
import { holdBack } from '../support/hold-back.js';
import { addFqdn, addSpace } from '../support/inventory.js';
import { seedListed } from '../support/large-place.js';
import { issuedFqdn, type RenewalPlace, renewedFqdn, signWith, switchRenewal } from '../support/renewals.js';
import { providerOf } from '../support/signing.js';

(hasBrowser() ? describe : describe.skip)('rows of lists that others change', () => {
  let stage: ConsoleStage;
  let place: RenewalPlace;
  beforeAll(async () => {
    stage = await startConsoleStage();
    const { app, ca, close } = stage;
    place = { app, ca, providerId: (await providerOf(app, 'dummy-ca')).id, close };
  });
  afterAll(() => stage.close());

  /** Opens the page again with a clock that the story moves, and waits until it follows the log. */
  async function follow(page: Story['page'], text: string): Promise<void> {
    await page.clock.install();
    await page.reload();
    await page.getByText(text, { exact: true }).first().waitFor();
    await page.clock.fastForward(6_000);
    await page.waitForLoadState('networkidle');
  }

  /** A name with a certificate in a space with 189 others, whose ids begin with the text. */
  async function issuedAmongOthers(hostname: string, idsFrom: string): Promise<Fqdn> {
    const fqdn = await issuedFqdn(place, hostname);
    await seedListed(stage.app.database, fqdn.id, 189, idsFrom);
    return fqdn;
  }

  test('are refreshed in the background, each row once', async () => {
    const { app } = stage;
    const { ada } = app.people;
    const moving = await issuedAmongOthers('asked.example.org', '0000001a');
    const path = `/spaces/${moving.spaceId}/fqdns`;
    const first = await app.request.get(`${path}?sort=expiresAt&limit=100`).set(ada.auth).expect(200);
    const shown: string[] = first.body.map(({ id }: { readonly id: string }) => id);
    const ids = shown.filter((id) => id !== moving.id).slice(0, 60);
    const far = `id in (${ids.map((id) => `'${id}'`).join()})`;
    await stage.play('many-rows', ada, `/spaces/${moving.spaceId}?sort=expiresAt`, async ({ page }) => {
      const beganAt = Number(await page.evaluate('Date.now()'));
      await follow(page, '100 names of 190');
      const asked: { readonly path: string; readonly activity: string | undefined }[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        asked.push({ path: pathname, activity: request.headers()['x-activity'] });
      });
      const expected = ids.map((id) => ({ path: `${path}/${id}`, activity: 'background' }));
      const lookUps = () => asked.filter((one) => expected.some((other) => other.path === one.path));
      await app.database.transaction((tx) =>
        executeSql(tx, `update fqdn_standings set expires_at = '2090-01-01 00:00:00.000' where ${far}`, []),
      );
      await app.request.delete(`${path}/${ids[9]}`).set(ada.auth).expect(200);
      await page.clock.fastForward(6_000);
      // those of the page now, and all that were on it before but the one that is gone
      await page.getByText('159 names of 189', { exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.clock.fastForward(10_000);
      // on a slow machine, the page also asks for its session, as every 30 s of its clock
      const polls = Math.floor((Number(await page.evaluate('Date.now()')) - beganAt) / 30_000);
      expect(asked.filter((one) => one.path === '/auth/me').length).toBeLessThanOrEqual(polls);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('159 names of 189', { exact: true }).count()).toBe(1);
      const inOrder = (one: { readonly path: string }, other: { readonly path: string }) =>
        one.path.localeCompare(other.path);
      expect(lookUps().toSorted(inOrder)).toEqual(expected.toSorted(inOrder));
    });
  });

  test('disappear if they are deleted, and stay if they move to a later page', async () => {
    const { app } = stage;
    const { ada, ben } = app.people;
    const moving = await issuedAmongOthers('moving.example.org', '0000001b');
    const remove = (id: string) =>
      app.request.delete(`/spaces/${moving.spaceId}/fqdns/${id}`).set(ada.auth).expect(200);
    await app.database.transaction((tx) =>
      executeSql(tx, "update fqdn_standings set expires_at = '2020-01-01 00:00:00.000' where id = $1", [
        moving.id,
      ]),
    );
    const byExpiry = `/spaces/${moving.spaceId}?sort=expiresAt`;
    await stage.play('gone-rows', ada, byExpiry, async ({ page }) => {
      await follow(page, '100 names of 190');
      const rows = page.getByRole('table', { name: 'Names' }).getByRole('row');
      const first = rows.nth(1);
      expect(await first.getByRole('rowheader').textContent()).toBe('moving.example.org');
      const link = rows.nth(50).getByRole('link');
      const name = (await link.textContent()) ?? '';
      const address = await link.getAttribute('href');
      // it was on this page, and is now behind its end
      await signWith(place, moving);
      await remove(address?.split('/').at(-1) ?? '');
      await page.clock.fastForward(6_000);
      await page.getByRole('link', { name, exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '1 row moved. Sort anew' }).waitFor();
      expect(await first.getByRole('rowheader').textContent()).toBe('moving.example.org');
      await first
        .getByText(/^in \d+ days$/)
        .first()
        .waitFor();
      await remove(moving.id);
      await page.clock.fastForward(6_000);
      await page.getByRole('link', { name: 'moving.example.org' }).waitFor({ state: 'detached' });
    });

    const other = await addSpace(app, 'Another space');
    await addFqdn(app, other.id, 'a-name-no-more.example.org');
    await addGroup(app, { permission: 'READ', spaceIds: [moving.spaceId], userIds: [ben.id] });
    const group = await addGroup(app, { permission: 'READ', spaceIds: [other.id], userIds: [ben.id] });
    await stage.play('taken-rows', ben, '/fqdns?sort=fqdn', async ({ page }) => {
      await follow(page, '100 names of 189');
      await page.getByRole('link', { name: 'a-name-no-more.example.org' }).waitFor();
      await app.request.delete(`/permission-groups/${group.id}`).set(ada.auth).expect(200);
      await addFqdn(app, moving.spaceId, 'news.example.org');
      await page.clock.fastForward(20_000);
      await page.getByRole('link', { name: 'a-name-no-more.example.org' }).waitFor({ state: 'detached' });
    });
  });

  test('that no longer match the filter stay until the list is sorted again, unless permissions were revoked', async () => {
    const { app } = stage;
    const { ada, ben } = app.people;
    const space = await addSpace(app, 'Filtered');
    const one = await addFqdn(app, space.id, 'one.filtered.example.org');
    const two = await addFqdn(app, space.id, 'two.filtered.example.org');
    await stage.play(
      'unfit-rows',
      ada,
      `/spaces/${space.id}?renewal=off&sort=fqdn`,
      async ({ page, look }) => {
        await follow(page, one.fqdn);
        const table = page.getByRole('table', { name: 'Names' });
        const strip = (text: string) => page.getByRole('button', { name: text, exact: true });
        await switchRenewal(app, one, true);
        const lookUp = await holdBack(page, `**/spaces/${space.id}/fqdns/${one.id}`);
        await page.clock.fastForward(6_000);
        await lookUp.isAsked;
        // it is not known yet whether it moved or no longer fits
        expect(await page.getByRole('button', { name: / row.*Sort anew/ }).count()).toBe(0);
        lookUp.release();
        await strip('1 row no longer fits. Sort anew').waitFor();
        await table.getByRole('switch', { name: `Renew ${one.fqdn} automatically`, checked: true }).waitFor();
        expect(await table.getByRole('rowheader').allTextContents()).toEqual([one.fqdn, two.fqdn]);
        await look('one');
        await switchRenewal(app, two, true);
        await page.clock.fastForward(6_000);
        await strip('2 rows no longer fit. Sort anew').waitFor();
        await app.request.delete(`/spaces/${space.id}/fqdns/${one.id}`).set(ada.auth).expect(200);
        await page.clock.fastForward(6_000);
        await table.getByRole('link', { name: one.fqdn }).waitFor({ state: 'detached' });
        await strip('1 row no longer fits. Sort anew').click();
        await page.getByRole('heading', { name: 'No name matches' }).waitFor();
      },
    );

    const group = await addGroup(app, { permission: 'READ', spaceIds: [space.id], userIds: [ben.id] });
    await addFqdn(app, space.id, 'three.filtered.example.org');
    await stage.play('unfit-taken', ben, '/fqdns?renewal=on&sort=fqdn', async ({ page }) => {
      await follow(page, two.fqdn);
      await switchRenewal(app, two, false);
      await page.clock.fastForward(20_000);
      await page.getByRole('button', { name: '1 row no longer fits. Sort anew' }).waitFor();
      await app.request.delete(`/permission-groups/${group.id}`).set(ada.auth).expect(200);
      await page.clock.fastForward(301_000);
      await page.getByRole('link', { name: two.fqdn }).waitFor({ state: 'detached' });
    });
  });

  test('that no longer match are not selected with all matching rows', async () => {
    const { app } = stage;
    const space = await addSpace(app, 'Selected');
    const first = await addFqdn(app, space.id, 'a.selected.example.org');
    const second = await addFqdn(app, space.id, 'b.selected.example.org');
    await seedListed(app.database, first.id, 208, '0000001c');
    const path = `/spaces/${space.id}?renewal=off&sort=fqdn`;
    await stage.play('unfit-selected', app.people.ada, path, async ({ page, look }) => {
      await follow(page, '100 names of 210');
      const table = page.getByRole('table', { name: 'Names' });
      const all = page.getByLabel('Select all rows shown');
      const [unfit, fit] = [
        page.getByLabel(`Select ${first.fqdn}`),
        page.getByLabel(`Select ${second.fqdn}`),
      ];
      await all.check();
      await page.getByRole('button', { name: 'Select all 210 that match' }).click();
      await page.getByText('210 names selected').waitFor();
      await switchRenewal(app, first, true);
      await page.clock.fastForward(6_000);
      await page.getByText('209 names selected').waitFor();
      await page.getByRole('button', { name: '1 row no longer fits. Sort anew' }).waitFor();
      expect([await unfit.isChecked(), await fit.isChecked()]).toEqual([false, true]);
      await look('whole');
      await all.click();
      await page.getByText('209 names selected').waitFor({ state: 'detached' });
      expect([await unfit.isChecked(), await fit.isChecked()]).toEqual([false, false]);
      // the filter finds 209, and the row that no longer fits is shown beside them
      for (const shown of ['201 names of 209', '210 names']) {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        await page.getByText(shown, { exact: true }).waitFor();
      }
      expect(await table.getAttribute('aria-rowcount')).toBe('211');
    });
  });

  test('sorted by need do not move when one gets worse', async () => {
    const { app, ca } = stage;
    const { ada } = app.people;
    // more than the other stories have
    const names = ['a.worse.example.org', 'b.worse.example.org', 'c.worse.example.org'];
    const issued: Fqdn[] = [];
    for (const name of names) {
      issued.push(await issuedFqdn(place, name));
      app.clock.advance(60_000);
    }
    await stage.play('worse-rows', ada, '/fqdns?q=worse.example', async ({ page, look }) => {
      await follow(page, names[0] ?? '');
      const table = page.getByRole('table', { name: 'Names' });
      const shown = () => table.getByRole('rowheader').allTextContents();
      await table.getByText(names[2] ?? '').waitFor();
      expect(await shown()).toEqual(names);
      ca.answer('with a refusal');
      for (const last of issued.slice(2)) await signWith(place, last);
      ca.answer('normally');
      await page.clock.fastForward(20_000);
      await table.getByText('failing', { exact: true }).waitFor();
      expect(await shown()).toEqual(names);
      await look('worse');
      const strip = page.getByRole('button', { name: '1 row moved. Sort anew' });
      await strip.click();
      await strip.waitFor({ state: 'detached' });
      expect(await shown()).toEqual([names[2], names[0], names[1]]);
    });
  });

  test('of the renewals and of the dashboard keep their positions', async () => {
    const { app } = stage;
    const early = await renewedFqdn(place, 'early.example.org');
    const late = await renewedFqdn(place, 'late.example.org');
    const share = (fqdn: typeof early, renewAfterFraction: number) =>
      switchRenewal(app, fqdn, true, { renewAfterFraction });
    await share(early, 0.2);
    await share(late, 0.5);
    for (const [path, label] of [
      ['/renewals', 'Renewals'],
      ['/', 'Next renewals'],
    ] as const) {
      await stage.play(`steady-${label}`, app.people.ada, path, async ({ page }) => {
        await follow(page, 'early.example.org');
        const table = page.getByRole('table', { name: label, exact: true });
        const names = async () => {
          const shown = await table.getByRole('row').allTextContents();
          return shown.flatMap((text) => [early.fqdn, late.fqdn].filter((name) => text.includes(name)));
        };
        await table.getByText(late.fqdn).waitFor();
        expect(await names()).toEqual([early.fqdn, late.fqdn]);
        await share(early, 0.8);
        await page.clock.fastForward(20_000);
        const moved = page.getByRole('button', { name: '1 row moved. Sort anew' });
        await moved.waitFor();
        expect(await names()).toEqual([early.fqdn, late.fqdn]);
        await moved.click();
        await moved.waitFor({ state: 'detached' });
        expect(await names()).toEqual([late.fqdn, early.fqdn]);
        await share(early, 0.2);
      });
    }
  });
});
