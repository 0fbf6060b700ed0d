import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@certloop/contracts/testing';
import type { DialectName } from '@certloop/db';
import { testDialects } from '@certloop/db/testing';
import { afterAll, describe, expect, test } from 'vitest';
import {
  addFqdn,
  type Clients,
  dummyCaProvider,
  makeCsr,
  makeSpace,
  type Place,
  signCsr,
  uploadCsr,
} from '../../src/main-job.js';
import { type Cleanup, startTestStack } from '../support/test-stack.js';

/** An FQDN with a CSR, in a space of its own. */
async function preparedFqdn(clients: Clients, hostname: string): Promise<Place> {
  const space = await makeSpace(clients, hostname);
  const { id: fqdnId } = await addFqdn(clients, space.id, hostname);
  const place = { spaceId: space.id, fqdnId };
  await uploadCsr(clients, place, hostname, await makeCsr(hostname));
  return place;
}

/** The same with a certificate that is renewed automatically. */
async function renewedFqdn(clients: Clients, hostname: string): Promise<Place> {
  const place = await preparedFqdn(clients, hostname);
  await signCsr(clients, place);
  await switchRenewal(clients, place);
  return place;
}

function switchRenewal({ manager }: Clients, params: Place) {
  return manager.setRenewalEnabled({ params, body: { renewalEnabled: true } });
}

/** When the certificate of an FQDN is to be renewed, ISO 8601. */
async function renewAtOf({ manager }: Clients, params: Place): Promise<string> {
  return String((await manager.explainRenewal({ params })).body.plan?.renewAt);
}

/** The check of an FQDN; undefined if there is none. */
async function findCheck({ monitor }: Clients, { fqdnId }: Place) {
  const { checks } = (await monitor.listChecks({ query: { slug: `certloop-fqdn-${fqdnId}` } })).body;
  expect(checks.length).toBeLessThanOrEqual(1);
  const [check] = checks;
  return check !== undefined && 'uuid' in check ? check : undefined;
}

async function awaitStatus(clients: Clients, place: Place, status: string) {
  return until(async () => {
    const check = await findCheck(clients, place);
    return check?.status === status ? check : undefined;
  });
}

/** Pings of a check, oldest first, as `fail: reason`; what follows the first word of a success is omitted. */
async function pingsOf({ monitor }: Clients, uuid: string): Promise<string[]> {
  const { pings } = (await monitor.listPings({ params: { id: uuid } })).body;
  const words = pings.map(async ({ n, type }) => {
    const { body } = await monitor.getPingBody({ params: { id: uuid, n: String(n) } });
    const said = Buffer.from(body).toString('utf8');
    return `${type}: ${type === 'success' ? said.split(':')[0] : said}`;
  });
  return (await Promise.all(words)).reverse();
}

interface SeenEvent {
  readonly type: string;
  readonly time: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Receives notices of the monitor, and calls of a ping address elsewhere. */
async function startElsewhere(cleanups: Cleanup[]) {
  const seen = { events: [] as SeenEvent[], pings: 0 };
  const server = createServer((request, response) => {
    if (request.url === '/ping') seen.pings += 1;
    else
      void text(request).then((body) => {
        const event = JSON.parse(body) as SeenEvent;
        if (event.type.startsWith('monitor.')) seen.events.push(event);
      });
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const cleanups: Cleanup[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

async function startPlace(dialect: DialectName) {
  const { seen, url } = await startElsewhere(cleanups);
  const environment = {
    NOTICE_WEBHOOK_URL: `${url}/notices`,
    NOTICE_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    WATCH_AWAY_SECONDS: '10',
    HEARTBEAT_PING_URLS: `${url}/ping`,
  };
  return { ...(await startTestStack(dialect, environment, cleanups)), seen };
}

type WatchPlace = Awaited<ReturnType<typeof startPlace>>;

const places = new Map<DialectName, Promise<WatchPlace>>();
const turns = new Map<DialectName, Promise<void>>();
let isStarted: Promise<unknown> = Promise.resolve();

/** The stack of a database, started by the first test that needs it, while no other one starts. */
function placeOn(dialect: DialectName): Promise<WatchPlace> {
  const found = places.get(dialect);
  if (found !== undefined) return found;
  const place = isStarted.then(() => startPlace(dialect));
  places.set(dialect, place);
  isStarted = place.catch(() => undefined);
  return place;
}

/** A test on each database: one after the other on a stack, and on both stacks at once, which wait most of the time. */
function onEachStack(title: string, work: (place: WatchPlace) => Promise<void>): void {
  test.concurrent.each(testDialects())(`${title}, on %s`, (dialect) => {
    const before = turns.get(dialect)?.catch(() => undefined) ?? Promise.resolve();
    const turn = before.then(async () => work(await placeOn(dialect)));
    turns.set(dialect, turn);
    return turn;
  });
}

describe('the watch of certificates', () => {
  onEachStack('has a check that is up until the renewal, and goes with the FQDN', async ({ clients }) => {
    const place = await renewedFqdn(clients, 'watched.example.test');
    const renewAt = await renewAtOf(clients, place);
    const check = await until(async () => {
      const found = await findCheck(clients, place);
      const isOf = found !== undefined && (await pingsOf(clients, found.uuid)).at(-1) === 'success: watched';
      return isOf && Math.abs(Date.parse(String(found.next_ping)) - Date.parse(renewAt)) < 65_000
        ? found
        : undefined;
    });
    const distance = Date.parse(String(check.next_ping)) - Date.parse(renewAt);
    expect(Math.abs(distance)).toBeLessThan(65_000);
    await signCsr(clients, place);
    const pings = await until(async () => {
      const found = await pingsOf(clients, check.uuid);
      return found.at(-1) === 'success: issued' && found.length > 1 ? found : undefined;
    });
    // the first certificate may be reported before renewal is switched on
    expect(pings.slice(-2)).toEqual(['success: watched', 'success: issued']);
    await clients.manager.deleteFqdn({ params: { id: place.spaceId, fqdnId: place.fqdnId } });
    await until(async () => (await findCheck(clients, place)) === undefined);
  });

  onEachStack(
    'goes down with the reason when no certificate can be issued, and up when one can',
    async ({ stack, clients }) => {
      const place = await preparedFqdn(clients, 'failing.example.test');
      await switchRenewal(clients, place);
      await awaitStatus(clients, place, 'new');
      await stack.end('dummy-ca', 'kill');
      const providerId = await dummyCaProvider(clients);
      const refused = await clients.manager.signCsr({ params: place, body: { providerId } });
      expect(refused.body.success).toBe(false);
      const { uuid } = await awaitStatus(clients, place, 'down');
      expect(await pingsOf(clients, uuid)).toEqual([`fail: request failed: ${refused.body.message}`]);
      await stack.start('dummy-ca');
      await signCsr(clients, place);
      await awaitStatus(clients, place, 'up');
    },
  );

  onEachStack('is sent later what happened while the monitor was down', async ({ stack, clients }) => {
    const place = await renewedFqdn(clients, 'later.example.test');
    const { uuid } = await until(async () => {
      const check = await findCheck(clients, place);
      const isWatched =
        check !== undefined && (await pingsOf(clients, check.uuid)).includes('success: watched');
      return isWatched ? check : undefined;
    });
    const before = (await pingsOf(clients, uuid)).length;
    await stack.end('check-monitor', 'kill');
    await signCsr(clients, place);
    await signCsr(clients, place);
    await until(async () => (await clients.manager.getHealth()).body.monitor?.answers === false);
    await stack.start('check-monitor');
    const pings = await until(async () => {
      const found = await pingsOf(clients, uuid);
      return found.length >= before + 2 ? found : undefined;
    });
    expect(pings.slice(-3)).toEqual(['success: watched', 'success: issued', 'success: issued']);
  });

  onEachStack('expects a renewal that is more than a year away at its moment', async ({ clients }) => {
    const id = await dummyCaProvider(clients);
    const { config } = (await clients.manager.getProvider({ params: { id } })).body;
    await clients.manager.setProviderConfig({
      params: { id },
      body: { config: { ...config, validityDays: 825 } },
    });
    const place = await renewedFqdn(clients, 'long.example.test');
    await clients.manager.setProviderConfig({ params: { id }, body: { config } });
    const renewAt = await renewAtOf(clients, place);
    const schedule = renewAt.slice(0, 19).replace('T', ' ');
    const check = await until(async () => {
      const found = await findCheck(clients, place);
      const isExpected = found !== undefined && 'schedule' in found && found.schedule === schedule;
      return isExpected && found.status === 'up' ? found : undefined;
    });
    expect(check).toMatchObject({ tz: 'UTC' });
    expect(check).not.toHaveProperty('timeout');
    expect(Date.parse(String(check.next_ping))).toBe(Date.parse(renewAt));
  });

  onEachStack(
    'has a check of its own for the queue, and one for the advice of CAs',
    async ({ clients: { monitor } }) => {
      for (const slug of [
        'certloop-cert-manager',
        'certloop-cert-manager-advice',
        'certloop-cert-manager-served',
      ]) {
        const check = await until(async () => {
          const [found] = (await monitor.listChecks({ query: { slug } })).body.checks;
          return found?.status === 'up' ? found : undefined;
        });
        expect(check.n_pings).toBeGreaterThanOrEqual(2);
      }
    },
  );

  onEachStack(
    'sends a notice when the monitor is killed, and calls no address elsewhere when both are',
    async ({ stack, clients, seen }) => {
      seen.events.length = 0;
      await stack.end('check-monitor', 'kill');
      const notice = (type: string) => async () => seen.events.find((event) => event.type === type);
      const away = await until(notice('monitor.away'));
      expect(away.data).toMatchObject({ reason: 'no_answer' });
      expect(away.data['message']).toContain('start it, or check CHECK_MONITOR_URL');
      const { status, monitor } = (await clients.manager.getHealth()).body;
      expect({ status, answers: monitor?.answers }).toEqual({ status: 'ok', answers: false });
      expect((await clients.manager.getReadiness()).status).toBe(200);

      const before = seen.pings;
      await until(async () => seen.pings > before);
      await stack.end('cert-manager', 'kill');
      const last = seen.pings;
      await stack.start('check-monitor');
      expect(seen.pings - last).toBeLessThanOrEqual(1);
      await stack.start('cert-manager');
      await until(async () => seen.pings > last + 1);
      await until(notice('monitor.back'));
    },
  );
});
