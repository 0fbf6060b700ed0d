// node bench/console/pictures.mjs [--rows 0|5|500|50000] [--into run/pictures/rows] [--only manager|monitor|ca]
// Takes pictures of every page of both consoles and of dummy-ca at 1440 and 360 px, light and dark, with so many names
// and checks and with the longest and strangest names. A person looks at them; nothing is asserted.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setPassword } from '../../apps/check-monitor/dist/src/accounts/passwords.service.js';
import { openBrowser } from '../../packages/browser/dist/src/index.js';
import { createPasswords } from '../../packages/server/dist/src/index.js';
import { administrator, withManager } from '../cert-manager/manager-place.mjs';
import { seedCertificates } from '../cert-manager/manager-seed.mjs';
import { copyStatuses } from '../cert-manager/statuses.mjs';
import { micros, secret, seedChecks, withMonitor } from '../check-monitor/monitor-place.mjs';
import { onDatabase } from '../databases.mjs';
import { signIn } from './page-figures.mjs';
import { addStrangeChecks, addStrangeNames } from './strange-names.mjs';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '500' },
    into: { type: 'string', default: 'run/pictures/rows' },
    only: { type: 'string' },
  },
});
const count = Number(values.rows);
const names = { kind: '0000002c', count };
const checks = { kind: '0000002d', count };
const sizes = { wide: { width: 1440, height: 900 }, phone: { width: 360, height: 740 } };
// what a list of 50,000 rows is as tall as says nothing
const maxHeight = 2_400;

mkdirSync(values.into, { recursive: true });
const browser = await openBrowser();
try {
  if (values.only !== 'monitor')
    await onDatabase('sqlite', (database) => withManager(database, pictureManager));
  if (values.only === undefined || values.only === 'monitor')
    await onDatabase('sqlite', (database) => withMonitor(database, pictureMonitor));
} finally {
  await browser.close();
}

async function pictureManager(place) {
  const { manager, ca, runSql, dialect, client } = place;
  await takeAll('ca', { '': ca.url });
  if (values.only === 'ca') return [];
  const paths = {};
  if (count > 0) {
    const { spaceId, first } = await seedCertificates(place, names);
    await runSql(copyStatuses(dialect, first.id, names));
    const { longest, strange, group, user } = await addStrangeNames(place, count);
    const { body: certificates } = await client.listCertificates({ params: { spaceId, fqdnId: first.id } });
    Object.assign(paths, {
      space: `/spaces/${spaceId}`,
      'space-strange': `/spaces/${strange.id}`,
      fqdn: `/spaces/${spaceId}/fqdns/${first.id}`,
      'fqdn-longest': `/spaces/${strange.id}/fqdns/${longest.id}`,
      certificate: `/spaces/${spaceId}/fqdns/${first.id}/certificates/${certificates[0].id}`,
      'add-names': `/spaces/${strange.id}/add-names`,
      group: `/groups/${group.id}`,
      user: `/users/${user.id}`,
    });
  }
  for (const page of [
    'spaces',
    'fqdns',
    'renewals',
    'providers',
    'users',
    'groups',
    'audit',
    'statistics',
    'readiness',
  ])
    paths[page] = `/${page}`;
  Object.assign(paths, { dashboard: '/', account: '/account', 'upload-csrs': '/upload-csrs' });
  const { username: user, password } = administrator;
  const url = `${manager.url}/ui`;
  await takeAll('manager', { login: `${url}/login` });
  const state = await signIn(browser, { url: `${url}/`, label: 'User name', user, password });
  await takeAll('manager', underUi(url, paths), state);
  return [];
}

async function pictureMonitor(place) {
  const { keys, uuids } = await seedChecks(place, checks);
  const [user, password] = [`${checks.kind}@example.test`, 'figures of a bench'];
  const accounts = { db: place.database, clock: { now: micros }, secret, passwords: createPasswords() };
  await setPassword(accounts, user, password);
  const url = `${place.monitor.url}/ui`;
  await takeAll('monitor', { login: `${url}/login` });
  const state = await signIn(browser, { url: `${url}/`, label: 'E-mail address', user, password });
  const project = `/projects/${keys.projectId}`;
  if (count === 0) await place.runSql('delete from checks');
  const strange =
    count > 0
      ? await addStrangeChecks(browser, { state, url: place.monitor.url, projectId: keys.projectId })
      : undefined;
  const paths = {
    projects: '/projects',
    checks: project,
    integrations: `${project}/integrations`,
    badges: `${project}/badges`,
    settings: `${project}/settings`,
    account: '/account',
    ...(count > 0 && { check: `${project}/checks/${uuids[0]}` }),
    ...(strange !== undefined && { 'check-strange': `${project}/checks/${strange}` }),
  };
  await takeAll('monitor', underUi(url, paths), state);
  return [];
}

function underUi(url, paths) {
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, `${url}${path}`]));
}

async function takeAll(what, pages, state) {
  const context = await browser.newContext({
    ...(state !== undefined && { storageState: state }),
    viewport: sizes.wide,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-GB',
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`  console: ${message.text()}\n`);
  });
  for (const [name, url] of Object.entries(pages)) {
    await page.goto(url);
    await page.waitForLoadState('networkidle');
    await takeOne(page, `${what}-${name}-${count}`.replace('--', '-'));
  }
  await context.close();
}

async function takeOne(page, name) {
  for (const [size, viewport] of Object.entries(sizes)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      const path = join(values.into, `${name}-${size}-${colorScheme}.png`);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      const clip = { x: 0, y: 0, width: viewport.width, height: Math.min(maxHeight, height) };
      await page.screenshot({ path, fullPage: true, clip });
    }
    const overhang = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (overhang > 0) process.stderr.write(`  ${name}, ${size}: ${overhang} px stand out sideways\n`);
  }
  await page.setViewportSize(sizes.wide);
  await page.emulateMedia({ colorScheme: 'light' });
  process.stderr.write(`  ${name}\n`);
}
