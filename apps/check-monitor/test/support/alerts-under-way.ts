import { type Database, executeSql } from '@certloop/db';
import { createChannel } from '../../src/channels/create-channel.service.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { type RunningService, secretOfProcesses, startService } from './process.js';
import { type Recorder, startRecorder } from './recorder.js';

type Cleanups = (() => Promise<unknown>)[];

/** Checks that `failSome` lets fail at once. */
export const perRound = 5;

/** A project with a webhook to a target of its own. */
export async function makeStage(
  database: Database,
  cleanups: Cleanups,
): Promise<{ readonly target: Recorder; readonly pingKey: string }> {
  const accounts = { db: database, secret: secretOfProcesses, clock: { now: () => microsOf(new Date()) } };
  const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
  const { projectId, pingKey } = await setUpProject(accounts, owner, 'Jobs');
  const target = await startRecorder();
  cleanups.push(() => target.close());
  const settings = { down: { method: 'POST', url: target.url, body: '$NAME' } };
  await createChannel(
    { ...accounts, notifier: { refusalOfTarget: async () => undefined } },
    { projectId, kind: 'webhook', name: 'hook', settings, isVerified: false },
  );
  return { target, pingKey };
}

/** A process that sends alerts as soon as they are due. */
export async function startDelivering(databaseUrl: string, cleanups: Cleanups): Promise<RunningService> {
  const service = await startService(databaseUrl, {
    CHECK_MONITOR_TICK_MS: '50',
    CHECK_MONITOR_CHECK_LIMIT: '1000',
    CHECK_MONITOR_PING_LIMIT: '10000',
    CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true',
    CHECK_MONITOR_LOG_LEVEL: 'info',
  });
  cleanups.push(() => service.kill());
  return service;
}

/** Five checks fail; a ping that finds no database is sent again. */
export async function failSome(url: string, pingKey: string, round: number): Promise<void> {
  for (let n = 0; n < perRound; n += 1) {
    for (let status = 0; ![200, 201].includes(status); ) {
      ({ status } = await fetch(`${url}/ping/${pingKey}/r${round}-c${n}/fail?create=1`));
    }
  }
}

/** Bodies of all that arrived. */
export const named = (target: Recorder): string[] => target.requests.map(({ body }) => body);
/** Query of the messages that are not settled. */
export const open = 'select 1 from notifications where settled_at is null';
/** Messages that are open, and flips that are not messages yet: a frozen session may hold those. */
export function countWaiting(database: Database): Promise<number> {
  const flips = 'select 1 from flips where processed_at is null';
  return database.read(async (tx) => (await executeSql(tx, open)) + (await executeSql(tx, flips)));
}
