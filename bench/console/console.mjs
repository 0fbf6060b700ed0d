// Suite `console`: both consoles in a browser at 50,000 names and 50,000 checks, by the budgets of docs/performance.md.
import { createServer } from 'node:http';
import { setPassword } from '../../apps/check-monitor/dist/src/accounts/passwords.service.js';
import { hasBrowser, openBrowser } from '../../packages/browser/dist/src/index.js';
import { createPasswords } from '../../packages/server/dist/src/index.js';
import { administrator, withManager } from '../cert-manager/manager-place.mjs';
import { seedCertificates } from '../cert-manager/manager-seed.mjs';
import { copyStatuses } from '../cert-manager/statuses.mjs';
import { micros, secret, seedChecks, withMonitor } from '../check-monitor/monitor-place.mjs';
import { onDatabase, settle } from '../databases.mjs';
import { formatPages } from './console-table.mjs';
import { measurePage, signIn } from './page-figures.mjs';
import { measurePolls, measureScrolling } from './scrolling.mjs';

const names = { kind: '0000001c', count: 50_000 };
const checks = { kind: '0000001d', count: 50_000 };
const rowSelector = 'main tbody tr';

export const consoles = { name: 'console', isLong: true, run, format: formatPages };

async function run({ dialects }) {
  if (!hasBrowser()) return [];
  const browser = await openBrowser();
  try {
    const [dialect] = dialects;
    const bare = await measureBare(browser);
    const ofManager = await onDatabase(dialect, (database) =>
      withManager(database, (place) => measureManager(browser, place)),
    );
    const ofMonitor = await onDatabase(dialect, (database) =>
      withMonitor(database, (place) => measureMonitor(browser, place)),
    );
    return [...bare, ...ofManager, ...ofMonitor];
  } finally {
    await browser.close();
  }
}

/** A page of one row without scripts: the measure of what browser and machine give at the moment of a run. */
async function measureBare(browser) {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(
      '<!doctype html><link rel="icon" href="data:,"><main><table><tbody><tr><td>1</table></main>',
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const rows = await measurePage(browser, {
    what: 'bare page (baseline)',
    url,
    selector: rowSelector,
    pid: process.pid,
  });
  server.close();
  return rows.map(({ cpuMs: _own, ...row }) => row);
}

async function measureManager(browser, place) {
  const { spaceId, first } = await seedCertificates(place, names);
  await place.runSql(copyStatuses(place.dialect, first.id, names));
  await settle(place);
  const { url: service, pid } = place.manager;
  const { username: user, password } = administrator;
  const url = `${service}/ui`;
  const state = await signIn(browser, { url: `${url}/`, label: 'User name', user, password });
  const rows = [];
  const load = async (what, path, more = {}) => {
    const asked = { what: `manager: ${what}`, url: `${url}${path}`, state, selector: rowSelector, pid };
    rows.push(...(await measurePage(browser, { ...asked, ...more })));
  };
  const space = `/spaces/${spaceId}`;
  await load('50,000 names of a space', space);
  await load('the same, slow 4G, CPU/4', space, { isSlow: true });
  await load('50,000 names of all spaces', '/fqdns');
  await load('dashboard', '/', { selector: 'main h2' });
  await load('host name', `${space}/fqdns/${first.id}`, { selector: 'main h2' });
  // a few spaces are cards
  await load('spaces', '/spaces', { selector: 'main section, main tbody tr' });
  for (const page of ['renewals', 'audit', 'users']) await load(page, `/${page}`);
  for (const page of ['providers', 'groups', 'statistics', 'account'])
    await load(page, `/${page}`, { selector: 'main h1' });
  const list = { url: `${url}${space}`, state, selector: rowSelector };
  const click = 'main tbody input[type=checkbox]';
  rows.push(
    await measureScrolling(browser, { what: 'manager: scrolling and selecting names', click, ...list }),
  );
  rows.push(await measurePolls(browser, { what: 'manager: polls of 10 s without news', ...list }));
  rows.push(await sizeOfPage(place, spaceId));
  return rows;
}

async function sizeOfPage({ manager, token }, spaceId) {
  const response = await fetch(`${manager.url}/spaces/${spaceId}/fqdns?limit=100&include=status`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { length: bytes } = await response.text();
  return { what: 'manager: JSON of 100 names with status, not compressed', bytes };
}

async function measureMonitor(browser, place) {
  const { keys } = await seedChecks(place, checks);
  await settle(place);
  const [user, password] = [`${checks.kind}@example.test`, 'figures of a bench'];
  const accounts = { db: place.database, clock: { now: micros }, secret, passwords: createPasswords() };
  await setPassword(accounts, user, password);
  const { url: service, pid } = place.monitor;
  const url = `${service}/ui`;
  const state = await signIn(browser, { url: `${url}/`, label: 'E-mail address', user, password });
  const rows = [];
  const load = async (what, path, more = {}) => {
    const asked = { what: `monitor: ${what}`, url: `${url}${path}`, state, selector: rowSelector, pid };
    rows.push(...(await measurePage(browser, { ...asked, ...more })));
  };
  const project = `/projects/${keys.projectId}`;
  await load('projects', '/projects', { selector: 'main h1' });
  await load('50,000 checks of a project', project);
  await load('the same, slow 4G, CPU/4', project, { isSlow: true });
  const list = { url: `${url}${project}`, state, selector: rowSelector };
  const click = 'main tbody input[type=checkbox]';
  rows.push(
    await measureScrolling(browser, { what: 'monitor: scrolling and selecting checks', click, ...list }),
  );
  rows.push(await measurePolls(browser, { what: 'monitor: polls of 10 s without news', ...list }));
  return rows;
}
