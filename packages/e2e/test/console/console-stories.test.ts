import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, hasBrowser, openBrowser, openPath, runStory, type Story } from '@certloop/browser';
import { type DnsServer, hasProgram, startDnsServer } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/credentials.js';
import { placeWithCsr, useAcme } from '../support/acme-place.js';
import { type Cleanup, type RunningStack, startTestStack } from '../support/test-stack.js';

const name = 'www.example.test';
const canRun = [hasBrowser(), hasProgram('openssl', 'no key is made for the console', ['version'])].every(
  Boolean,
);

(canRun ? describe : describe.skip)('the console on a running stack', () => {
  let browser: Browser;
  let running: RunningStack;
  let folder: string;
  let dns: DnsServer;
  const cleanups: Cleanup[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-first-'));
    cleanups.push(() => rm(folder, { recursive: true }));
    dns = await startDnsServer();
    cleanups.push(() => dns.close());
    const environment = { DUMMY_CA_DNS: dns.address };
    [browser, running] = await Promise.all([openBrowser(), startTestStack('sqlite', environment, cleanups)]);
    cleanups.push(() => browser.close());
  });
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test('gets a first certificate with the shown command, one CSR and at most 12 clicks, and no private key leaves the browser', async () => {
    const { url, username, password } = running.stack.credentials.certManager;
    await runStory(browser, { name: 'first-certificate', url }, async ({ page, look }) => {
      let clicks = 0;
      const click = async (button: string) => {
        clicks += 1;
        await page.getByRole('button', { name: button, exact: true }).click();
      };
      await page.getByLabel('User name').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await click('Sign in');
      await click('Create a space');
      await page.getByLabel('Name').fill('Shop');
      await click('Create the space');
      clicks += 1;
      await page.getByRole('link', { name: 'Add a name to Shop' }).click();
      await page.getByRole('heading', { name: 'This space has no name yet' }).waitFor();
      await look('no-names');
      await click('Add a name');
      await page.getByLabel('Host name').fill('not a name');
      await page.getByRole('button', { name: 'Add the name' }).click();
      await page.locator('[aria-invalid=true]').waitFor();
      await page.getByLabel('Host name').fill(name);
      await click('Add the name');

      await page.getByRole('heading', { name: 'Create a key and a CSR' }).waitFor();
      await look('no-csr');
      const command = await page.getByText(/^\(umask 077; openssl req/).textContent();
      execFileSync('sh', ['-c', command ?? ''], { cwd: folder, stdio: 'pipe' });

      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
      });
      const file = page.getByLabel('CSR file');
      await file.setInputFiles(join(folder, `${name}.key`));
      await page.getByText('That is your private key. It stays with you').waitFor();
      await look('private-key');
      expect(sent).toEqual([]);
      const other = command?.replaceAll(name, 'other.example.test') ?? '';
      execFileSync('sh', ['-c', other], { cwd: folder, stdio: 'pipe' });
      await file.setInputFiles(join(folder, 'other.example.test.csr'));
      await page
        .getByText('The DNS names of the CSR are other.example.test; the FQDN is www.example.test.')
        .waitFor();
      clicks += 1;
      await file.setInputFiles(join(folder, `${name}.csr`));
      await page.getByText('This CSR is stored').waitFor();

      clicks += 1;
      await page.getByRole('button', { name: /^Request from/ }).click();
      await page.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
      await page.getByText('The certificate is issued').waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      clicks += 1;
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`${name}-fullchain.pem`);
      const saved = join(folder, 'saved.pem');
      await download.saveAs(saved);
      expect(clicks).toBeLessThanOrEqual(12);

      const spkiOf = (...args: string[]) =>
        String(execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' }));
      expect(spkiOf('x509', '-in', saved, '-noout', '-pubkey')).toBe(
        spkiOf('pkey', '-in', `${name}.key`, '-pubout'),
      );
      expect(await readFile(saved, 'utf8')).toContain('BEGIN CERTIFICATE');

      await page.getByLabel('Renew automatically').click();
      await page.getByText(/^Renews at/).waitFor();
      await page.reload();
      await page.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
      await page.getByText(/^Renews at/).waitFor();
      await page.getByRole('button', { name: /^Request from/ }).waitFor();
      // both services are on one host, where cookies know no port: neither takes the session of the other
      expect(await sessionsOf(running.stack.credentials)).toEqual([200, 200]);
      // README shows it: scripts/picture.mjs
      await look('valid');

      // replacing a valid one is asked about, and Cancel changes nothing
      const before = sent.length;
      await page.getByRole('button', { name: /^Request from/ }).click();
      await page.getByRole('heading', { name: 'Replace a valid certificate?' }).waitFor();
      await look('replace');
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(sent.length).toBe(before);
      await page.getByRole('button', { name: /^Request from/ }).click();
      await page.getByRole('button', { name: 'Request another one' }).click();
      await page.getByRole('table', { name: 'Certificates' }).getByText('replaced').waitFor();
    });
  });

  test('shows the failure and the next try while the CA is away, and turns green by a retry', async () => {
    await runStory(browser, { name: 'ca-away', url: urlOf() }, async ({ page, look }) => {
      await signIn(page);
      await page.getByRole('link', { name: 'Spaces' }).click();
      await page.getByRole('link', { name: 'Shop' }).click();
      await page.getByRole('link', { name }).click();
      // the story before switched its renewal on
      expect(await page.getByLabel('Renew automatically').isChecked()).toBe(true);
      await running.stack.end('dummy-ca', 'kill');
      await page.getByRole('button', { name: /^Request from/ }).click();
      await page.getByRole('button', { name: 'Request another one' }).click();
      await page.getByRole('alert').getByText(/\w/).waitFor();
      await look('refused');

      await page.getByRole('link', { name: 'Renewals' }).click();
      await page.getByRole('button', { name: `Run now: ${name}` }).click();
      await page.getByRole('link', { name: 'Dashboard' }).click();
      await page.getByRole('heading', { name: '1 name needs you' }).waitFor();
      const needs = page.getByRole('region', { name: 'What needs you' });
      await needs.getByText(/The last renewal failed: .+ The next try is at/).waitFor();
      const check = needs.getByRole('link', { name: `Check in the monitor: ${name}` });
      expect(await check.getAttribute('href')).toMatch(/\/checks\/[0-9a-f-]{36}\/details\/$/);
      await look('failing');
      await running.stack.start('dummy-ca');
      await page.getByRole('button', { name: `Retry now: ${name}` }).click();
      await page.getByRole('heading', { name: 'Your name is safe' }).waitFor();
    });
  });

  test('requests from an ACME CA step by step, in every tab, from the record to publish to the certificate', async () => {
    const { clients } = running;
    const providerId = await useAcme(running, { challenge: { type: 'manual' } });
    const { place: params } = await placeWithCsr(clients, 'acme.example.test');
    const { spaceId: id, fqdnId } = params;
    await clients.manager.updateFqdn({ params: { id, fqdnId }, body: { providerId } });
    await runStory(browser, { name: 'acme-request', url: urlOf() }, async ({ page, openTab, look }) => {
      await signIn(page);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await openPath(page, `/ui/spaces/${params.spaceId}/fqdns/${params.fqdnId}`);
      await page.getByRole('button', { name: /^Request from/ }).click();
      const steps = (tab: Story['page']) => tab.getByRole('list', { name: 'Steps of the request' });
      await steps(page).getByText('waits for you').waitFor();
      const job = new URL(page.url()).searchParams.get('job');
      await page.reload();
      await steps(page).getByText('waits for you').waitFor();
      expect(new URL(page.url()).searchParams.get('job')).toBe(job);
      await look('waiting');
      const tab = await openTab();
      await tab.goto(page.url());
      await steps(tab).getByText('waits for you').waitFor();

      const publish = tab.getByRole('table', { name: 'To publish' });
      await publish.getByText('_acme-challenge.acme.example.test TXT').waitFor();
      const record = await publish.getByText(/^[\w-]{43}$/).textContent();
      dns.texts.set('_acme-challenge.acme.example.test', [record ?? '']);
      await tab.getByRole('button', { name: 'I added it: continue' }).click();
      for (const one of [page, tab]) {
        await one.getByRole('table', { name: 'Certificates' }).getByText('valid').waitFor();
        const shown = (await steps(one).getByRole('listitem').allTextContents()).map((line) =>
          line.replace(/[:,].*/, ''),
        );
        expect(shown).toEqual(doneSteps);
        expect(await steps(one).getByText('waiting until someone').count()).toBe(0);
      }
      await look('issued');
      const { body } = await clients.manager.listCertificates({ params });
      expect(body).toHaveLength(1);
    });
  });

  test('shows the steps of a request from an ACME CA that is not the usual one of the name', async () => {
    const { clients } = running;
    const providerId = await useAcme(running, { challenge: { type: 'manual' } });
    const { place: params } = await placeWithCsr(clients, 'another.example.test');
    const { body: providers } = await clients.manager.listProviders({});
    const usual = providers.find((one) => one.name === 'dummy-ca')?.id ?? '';
    const { spaceId: id, fqdnId } = params;
    await clients.manager.updateFqdn({ params: { id, fqdnId }, body: { providerId: usual } });
    await runStory(browser, { name: 'other-acme', url: urlOf() }, async ({ page, look }) => {
      await signIn(page);
      await page.getByRole('navigation', { name: 'Pages' }).waitFor();
      await openPath(page, `/ui/spaces/${params.spaceId}/fqdns/${params.fqdnId}`);
      await page.getByLabel('Provider').selectOption(providerId);
      await page.getByRole('button', { name: /^Request from/ }).click();
      await page.getByRole('list', { name: 'Steps of the request' }).getByText('waits for you').waitFor();
      expect(new URL(page.url()).searchParams.get('job')).toMatch(/^[0-9a-f-]{36}$/);
      await look('steps');
    });
  });

  test('still shows its data while the service is stopped, polls rarely, and recovers', async () => {
    await runStory(browser, { name: 'service-stopped', url: urlOf() }, async ({ page, look }) => {
      await page.clock.install();
      await page.reload();
      await signIn(page);
      const table = page.getByRole('table', { name: 'Next renewals' });
      await table.getByText(name).waitFor();
      let requests = 0;
      let open = 0;
      page.on('request', () => {
        requests += 1;
        open += 1;
      });
      const ended = () => {
        open -= 1;
      };
      page.on('requestfailed', ended);
      page.on('requestfinished', ended);
      const pass = async (ms: number) => {
        await page.clock.runFor(ms);
        while (open > 0) await page.evaluate('0');
      };
      await running.stack.end('cert-manager', 'stop');
      await pass(5_000);
      await page.getByText('the service does not answer since then').waitFor();
      await look('strip');
      requests = 0;
      for (let passed = 0; passed < 60_000; passed += 2_500) await pass(2_500);
      expect(requests).toBeGreaterThan(1);
      expect(requests).toBeLessThanOrEqual(12);
      expect(await table.getByText(name).isVisible()).toBe(true);

      await running.stack.start('cert-manager');
      await pass(20_000);
      await page.getByText('the service does not answer since then').waitFor({ state: 'detached' });
      await table.getByText(name).waitFor();
    });
  });

  const urlOf = () => running.stack.credentials.certManager.url;
  const signIn = async (page: Story['page']) => {
    const { username, password } = running.stack.credentials.certManager;
    await page.getByLabel('User name').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };
});

/** What the page shows of a request by a name that is not renewed automatically. */
const doneSteps = [
  'doneCheck the CSR',
  'doneCheck the issuance policy',
  'doneLook for a valid certificate',
  'doneCheck that the CA can see the proof',
  'doneUse the account at the CA',
  'donePlace the order',
  'doneProve control of the names',
  'doneSend the CSR',
  'doneDownload the certificate',
  'doneVerify the certificate',
  'doneStore it',
  'skippedPlan its renewal',
];

/** Status of each service's answer about the session, after signing in to one and then to the other in one browser. */
async function sessionsOf({ certManager, checkMonitor }: Credentials): Promise<number[]> {
  const post = (base: string, path: string, body: object) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base },
      body: JSON.stringify(body),
    });
  const { username, password } = certManager;
  const replies = [
    await post(certManager.url, '/auth/login', { username, password }),
    await post(checkMonitor.url, '/api/account/login', {
      email: checkMonitor.email,
      password: checkMonitor.password,
    }),
  ];
  const cookies = new Map<string, string>();
  for (const reply of replies) {
    for (const cookie of reply.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const [name = ''] = pair.split('=');
      cookies.set(name, pair);
    }
  }
  const headers = { cookie: [...cookies.values()].join('; ') };
  const asked = [`${certManager.url}/auth/me`, `${checkMonitor.url}/api/account/me`];
  return Promise.all(asked.map(async (url) => (await fetch(url, { headers })).status));
}
