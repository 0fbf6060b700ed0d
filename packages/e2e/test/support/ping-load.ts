import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { createCheckMonitorClient } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { expect } from 'vitest';
import type { Stack } from '../../src/stack.js';
import { monitorCommand } from './monitor-command.js';

type MonitorClient = Pick<ReturnType<typeof createCheckMonitorClient>, 'listPings' | 'listFlips'>;

export interface Load {
  readonly uuids: readonly string[];
  readonly counts: readonly PingCount[];
}

/** Requires each answered ping to be stored once, in order, and each change to be a flip; returns how many to deliver. */
export async function requireStored(
  monitor: MonitorClient,
  { uuids, counts }: Load,
): Promise<Map<string, number>> {
  const events = new Map<string, number>();
  for (const [index, uuid] of uuids.entries()) {
    const { answered, unanswered } = counts[index] ?? { answered: 0, unanswered: 0 };
    const { pings } = (await monitor.listPings({ params: { id: uuid } })).body;
    expect(pings.length).toBeGreaterThanOrEqual(answered);
    expect(pings.length).toBeLessThanOrEqual(answered + unanswered);
    expect(pings.map(({ n }) => n)).toEqual(pings.map((_, at) => pings.length - at));
    const types = pings.map(({ type }) => type).reverse();
    const changes = types.filter((type, at) => type !== types[at - 1]).length;
    const { body: flips } = await monitor.listFlips({ params: { id: uuid } });
    expect(flips).toHaveLength(changes);
    events.set(uuid, changes - (types[0] === 'success' ? 1 : 0)); // the first success is no news
  }
  return events;
}

/** Requires each event to be delivered under a key of its own, however often it was repeated. */
export async function requireDelivered(
  listener: Pick<Awaited<ReturnType<typeof startListener>>, 'deliveriesOf'>,
  events: ReadonlyMap<string, number>,
): Promise<void> {
  for (const [uuid, count] of events) {
    const deliveries = await until(async () => {
      const seen = listener.deliveriesOf(uuid);
      return seen.size >= count ? seen : undefined;
    });
    expect(deliveries.size).toBe(count);
  }
}

/** Sends every change of the first project's checks to a webhook. */
export async function addWebhook({ plan }: Stack, url: string): Promise<void> {
  const cli = (...args: string[]) => monitorCommand([...args, '--json'], plan.environments['check-monitor']);
  const [project] = JSON.parse(await cli('project', 'list'));
  const channel = ['--kind', 'webhook', '--name', 'listener', '--url', url];
  await cli('channel', 'create', '--project', project.projectId, ...channel);
}

/** A webhook's receiver: which deliveries came for a check, each counted once however often it was repeated. */
export async function startListener() {
  const seen = new Map<string, Set<string>>();
  const arrivals = { count: 0, latestNewAt: 0 };
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(`${request.url} ${body}`)?.[0] ?? '';
      const deliveries = seen.get(uuid) ?? new Set();
      const before = deliveries.size;
      seen.set(uuid, deliveries.add(String(request.headers['idempotency-key'])));
      arrivals.count += 1;
      if (deliveries.size > before) arrivals.latestNewAt = performance.now();
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/$CODE`,
    deliveriesOf: (uuid: string) => seen.get(uuid) ?? new Set<string>(),
    /** How many calls there were, and when the latest came that repeated no other, by `performance.now()`. */
    arrivals: (): Readonly<typeof arrivals> => arrivals,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** What became of the pings of one check. */
export interface PingCount {
  answered: number;
  unanswered: number;
  /** When the latest ping was sent that was answered, by `performance.now()`. */
  lastAnsweredSentAt: number;
}

/** One job a check: two successes and two failures by turns, each through the other monitor. */
export function startPings(urls: readonly string[], uuids: readonly string[], pauseMs = 0) {
  const counts = uuids.map((): PingCount => ({ answered: 0, unanswered: 0, lastAnsweredSentAt: 0 }));
  let isStopped = false;
  const jobs = counts.map(async (count, index) => {
    for (let n = 0; !isStopped; n += 1) {
      const address = `${urls[n % urls.length]}/ping/${uuids[index]}${n % 4 < 2 ? '' : '/fail'}`;
      const sentAt = performance.now();
      const isAnswered = await fetch(address, { method: 'POST' }).then(
        (response) => response.ok,
        () => false,
      );
      count[isAnswered ? 'answered' : 'unanswered'] += 1;
      if (isAnswered) count.lastAnsweredSentAt = sentAt;
      if (pauseMs > 0) await pause(pauseMs);
    }
  });
  return {
    counts,
    answered: () => counts.reduce((sum, { answered }) => sum + answered, 0),
    stop: async () => {
      isStopped = true;
      await Promise.all(jobs);
    },
  };
}
