import { type Browser, hasBrowser, openBrowser, openPath, runStory } from '@certloop/browser';
import { createClient, dummyCaAdminContract } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answeringAtOnePort, placeWithCsr, request, useAcme } from '../support/acme-place.js';
import { renewalIdOf } from '../support/renewal-id.js';
import { type Cleanup, type RunningStack, startTestStack } from '../support/test-stack.js';

const day = 86_400_000;
const days = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

(hasBrowser() ? describe : describe.skip)('the page of a name', () => {
  let browser: Browser;
  let running: RunningStack;
  const cleanups: Cleanup[] = [];
  beforeAll(async () => {
    const environment = { ...(await answeringAtOnePort()), DUMMY_CA_ADMIN: 'true' };
    [browser, running] = await Promise.all([openBrowser(), startTestStack('sqlite', environment, cleanups)]);
    cleanups.push(() => browser.close());
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test('describes in words when the CA suggests renewing a certificate', async () => {
    const { clients, stack } = running;
    await useAcme(running);
    const { place } = await placeWithCsr(clients, 'window.example.test');
    const { certificate } = await request(clients, place);
    await clients.manager.setRenewalEnabled({ params: place, body: { renewalEnabled: true } });
    const [start, end] = [20 * day, 22 * day].map((ms) => new Date(Date.now() + ms).toISOString());
    const body = { start: start ?? '', end: end ?? '' };
    const admin = createClient(dummyCaAdminContract, { baseUrl: stack.plan.urls['dummy-ca'] });
    await admin.setRenewalWindow({ params: { certId: renewalIdOf(certificate?.pem ?? '') }, body });
    // after its start, cert-manager asks at once
    await stack.end('cert-manager', 'stop');
    await stack.start('cert-manager');
    const { scheduledAt = '' } = await until(async () => {
      const { body } = await clients.manager.explainRenewal({ params: place });
      return body.plan?.rule === 'window' ? body : undefined;
    });
    expect(Date.parse(scheduledAt)).toBeGreaterThanOrEqual(Date.parse(body.start));
    expect(Date.parse(scheduledAt)).toBeLessThanOrEqual(Date.parse(body.end));

    const { url, username, password } = stack.credentials.certManager;
    await runStory(browser, { name: 'renewal-window', url }, async ({ page, look }) => {
      await page.getByLabel('User name').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await openPath(page, `/ui/spaces/${place.spaceId}/fqdns/${place.fqdnId}`);
      const life = page.getByRole('region', { name: 'Validity and renewal' });
      const words = `from ${written(body.start)} to ${written(body.end)}`;
      await life.getByText(`${words}, the lighter part of the line`, { exact: true }).waitFor();
      // the line is an image, whose text is for those who do not see it
      expect(await life.getByRole('img').getAttribute('aria-label')).toMatch(
        new RegExp(`^The certificate expires in .* The CA wants it to be renewed ${words}\\.$`),
      );
      await life.getByText(`${written(scheduledAt)}, in `).waitFor();
      await look('words');
    });
  });
});

/** The moment as pages write it, such as `1 Mar 2026, 12:00:00 UTC`. */
function written(at: string): string {
  return `${days.format(new Date(at))}, ${at.slice(11, 19)} UTC`;
}
