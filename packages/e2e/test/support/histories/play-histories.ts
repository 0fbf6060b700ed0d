import type { Fqdn, FqdnStatus } from '@certloop/contracts';
import { addFqdn, dummyCaProvider, makeSpace } from '../../../src/main-job.js';
import type { OneProcess } from '../one-process.js';
import { acts } from './acts.js';
import { createForeignCa } from './foreign-certificates.js';
import { type Batch, day, type History, minute, second } from './history.js';
import { findBreaches, type Shown } from './judge-history.js';
import { createRandom } from './random.js';
import { createOtherProvider, sharedActs } from './shared-acts.js';

const spaces = 4;
const steps = 8;
// several requests of the API share a transaction
const actsAtOnce = 16;

/** Plays histories at once, one for each seed from the first; returns what breaks the rules, with what happened before. */
export async function playHistories(stack: OneProcess, firstSeed: number, count: number): Promise<string[]> {
  const batch = await beginBatch(stack, firstSeed, count);
  for (let step = 0; step < steps && batch.breaches.length === 0; step += 1) {
    await shareAct(batch);
    await actAll(batch);
    await passTime(batch, await settle(batch), timeToPass(batch));
  }
  await endBatch(batch);
  const replay = `node packages/e2e/histories.mjs --seed ${firstSeed} --count ${count}`;
  return batch.breaches.map((breach) => `${breach}; play it again: ${replay}`);
}

async function beginBatch(stack: OneProcess, firstSeed: number, count: number): Promise<Batch> {
  const spaceIds: string[] = [];
  for (let nth = 0; nth < spaces; nth += 1)
    spaceIds.push((await makeSpace(stack.clients, `Histories ${firstSeed} ${nth}`)).id);
  const histories: History[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const [name, spaceId] = [`h${seed}.example.org`, spaceIds[seed % spaces] ?? ''];
    const { id: fqdnId } = await addFqdn(stack.clients, spaceId, name);
    histories.push({
      ...{ seed, name, random: createRandom(seed), spaceId, fqdnId },
      ...{ events: [], messages: [], targetId: undefined, watchedCertificate: undefined },
    });
  }
  return {
    ...{ stack, random: createRandom(firstSeed), histories, spaceIds, breaches: [] },
    providers: {
      builtIn: await dummyCaProvider(stack.clients),
      other: await createOtherProvider(stack),
    },
    foreignCa: await createForeignCa(stack.clock.now()),
    state: {
      ...{ closedSpaces: new Set(), unwatchedSpaces: new Set(), areProvidersDisabled: false },
      ...{ monitorAway: undefined, runningSince: stack.clock.now().getTime(), comparedFrom: 0 },
    },
  };
}

/** Puts everything as it was, so that the next batch begins alone. */
async function endBatch(batch: Batch): Promise<void> {
  const { stack, spaceIds } = batch;
  for (const act of ['providersBack', 'enableProviders', 'monitorBack']) await sharedActs[act]?.(batch);
  for (const id of spaceIds)
    await stack.clients.manager.deleteSpace({ params: { id }, query: { deleteFqdns: 'true' } });
  await settleOnce(batch);
  await stack.clients.manager
    .deleteProvider({ params: { id: batch.providers.other } })
    .catch(() => undefined);
}

/** In every second step something happens to all names, or to those of a space. */
async function shareAct(batch: Batch): Promise<void> {
  const { random, histories, stack, state } = batch;
  if (random.next() < 0.5) return;
  const act = random.pick(Object.keys(sharedActs));
  for (const { events } of histories) events.push(`ALL: ${act}`);
  const before = stack.clock.now().getTime();
  await sharedActs[act]?.(batch);
  const now = stack.clock.now().getTime();
  if (now !== before) state.runningSince = now;
  if (now >= before) return;
  // what arrived before the clock was set back arrived before everything that follows
  for (const { messages } of histories)
    messages.splice(0, messages.length, ...messages.map((one) => ({ ...one, at: Math.min(one.at, now) })));
  state.comparedFrom = now + day + minute;
  await stack.pullBack();
}

async function actAll(batch: Batch): Promise<void> {
  const names = Object.keys(acts);
  for (let start = 0; start < batch.histories.length; start += actsAtOnce) {
    await Promise.all(
      batch.histories.slice(start, start + actsAtOnce).map(async (history) => {
        const act = history.random.pick(names);
        history.events.push(act);
        await acts[act]?.(batch, history).catch(() => history.events.push('(refused)'));
      }),
    );
  }
}

function timeToPass({ random }: Batch): number {
  return Math.floor(random.next() * random.pick([0, 5 * minute, day, 20 * day, 60 * day]));
}

/** Lets the time pass, with a run of each job at moments that matter to names on the way. */
async function passTime(batch: Batch, shownNow: readonly Shown[], ms: number): Promise<void> {
  const { stack, random, histories } = batch;
  const end = stack.clock.now().getTime() + ms;
  for (const { events } of histories) if (ms > 0) events.push(`${Math.round(ms / minute)} min`);
  let shown = shownNow;
  for (let extra = 2; batch.breaches.length === 0; ) {
    const now = stack.clock.now().getTime();
    const statuses = shown.map(({ fqdn }) => fqdn.status);
    const next = Math.min(end, ...statuses.map((status) => nextStop(status, now)));
    const early = statuses.flatMap((status) => momentsOf(status)).filter((at) => at > now && at < next);
    const stop = extra > 0 && early.length > 0 ? random.pick(early) : next;
    extra -= 1;
    stack.clock.set(new Date(stop));
    shown = await settle(batch);
    if (stop >= end) return;
  }
}

/** A run is needed before the certificate ends, once people must know. */
function nextStop(status: FqdnStatus, now: number): number {
  const { attentionAt, end } = readMoments(status);
  if (Number.isNaN(end) || end <= now + second || !(attentionAt < end)) return Number.POSITIVE_INFINITY;
  return attentionAt <= now ? Number.POSITIVE_INFINITY : end - second;
}

function momentsOf(status: FqdnStatus): number[] {
  const { attentionAt, end } = readMoments(status);
  return [attentionAt - minute, attentionAt, Date.parse(status.renewAt ?? ''), end];
}

function readMoments({ attentionAt, certificate }: FqdnStatus) {
  const end = Date.parse(certificate?.chainExpiresAt ?? certificate?.expiresAt ?? '');
  return { attentionAt: Date.parse(attentionAt ?? ''), end };
}

/** Runs each job, again if a rule seems broken, since pings may be in flight, and records what is broken then. */
async function settle(batch: Batch): Promise<readonly Shown[]> {
  await settleOnce(batch);
  const shown = await listShown(batch);
  if (judgeAll(batch, shown).length === 0) return shown;
  await settleOnce(batch);
  const settled = await listShown(batch);
  batch.breaches.push(...judgeAll(batch, settled));
  return settled;
}

async function settleOnce(batch: Batch): Promise<void> {
  const { stack, histories, state, breaches } = batch;
  const { manager } = stack;
  await manager.jobs.run('policies');
  while (!(await manager.jobs.run('renewals')));
  await manager.jobs.run('revocations');
  await manager.jobs.run('issuance');
  await manager.jobs.idle();
  await manager.jobs.run('targets');
  await manager.jobs.run('watch.sweep');
  await manager.jobs.run('watch');
  await stack.tick();
  const now = stack.clock.now().getTime();
  const byName = new Map(histories.map((history) => [history.name, history]));
  for (const text of stack.alerts()) {
    const [, name = '', status = ''] = /^(\S+) \(.*?\) is (down|up): /.exec(text) ?? [];
    const history = byName.get(name);
    if (history === undefined) continue;
    if (history.messages.at(-1)?.status === status) breaches.push(storyOf(history, `repeats: ${text}`));
    history.messages.push({ at: now, status });
  }
  await noteMonitor(batch, now);
  if (state.monitorAway !== undefined) state.runningSince = now;
}

const awayMs = 10 * minute;

/** While the monitor is away, the notice is out within its bound. */
async function noteMonitor({ stack, state, breaches }: Batch, now: number): Promise<void> {
  const types = (await stack.notices()).map(({ type }) => type);
  if (!stack.isAway('monitor')) {
    state.monitorAway = undefined;
    return;
  }
  const away = state.monitorAway ?? { since: now, isNoticed: false };
  away.isNoticed ||= types.includes('monitor.away');
  state.monitorAway = away;
  if (now - away.since > awayMs && !away.isNoticed)
    breaches.push(`the monitor is away since ${new Date(away.since).toISOString()}, without a notice`);
}

function judgeAll(batch: Batch, all: readonly Shown[]): string[] {
  const histories = new Map(batch.histories.map((history) => [history.fqdnId, history]));
  return all.flatMap((shown) => {
    const history = histories.get(shown.fqdn.id);
    if (history === undefined) return [];
    // a check that is created again is new, and so are its messages
    if (shown.check === undefined) history.messages.push({ at: shown.now, status: 'deleted' });
    return findBreaches(batch, history, shown).map((what) => storyOf(history, what));
  });
}

/** What both services show of all names. */
async function listShown({ stack, spaceIds }: Batch): Promise<Shown[]> {
  const now = stack.clock.now().getTime();
  const { checks } = stack.isAway('monitor')
    ? { checks: [] }
    : (await stack.clients.monitor.listChecks({ query: {} })).body;
  const statuses = new Map(checks.map(({ slug, status }) => [slug, status]));
  const shown: Shown[] = [];
  for (const id of spaceIds) {
    const { body } = await stack.clients.manager.listFqdns({ params: { id }, query: { include: 'status' } });
    for (const fqdn of body.filter(hasStatus))
      shown.push({ fqdn, check: statuses.get(`certloop-fqdn-${fqdn.id}`), now });
  }
  return shown;
}

const hasStatus = (fqdn: Fqdn): fqdn is Shown['fqdn'] => fqdn.status !== undefined;

const storyOf = ({ events, seed }: History, what: string) =>
  `seed ${seed}: ${what} after ${events.join(', ')}`;
