import { foreignCertificate } from '@certloop/cert-manager/dist/test/support/cas/foreign-ca.js';
import type { Fqdn } from '@certloop/contracts';
import { addFqdn, dummyCaProvider, makeCsr, makeSpace, type Place, uploadCsr } from '../../src/main-job.js';
import type { OneProcess } from './one-process.js';

const second = 1000;
const minute = 60 * second;
const day = 1440 * minute;

/** A number from 0 to below 1, the next of a sequence that the seed decides (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A message of the monitor about the name. */
interface Message {
  readonly at: number;
  readonly status: string;
}

/** What happens to one name, and what was found. */
interface History {
  readonly stack: OneProcess;
  readonly random: () => number;
  readonly name: string;
  readonly params: Place;
  readonly providerId: string;
  /** Events so far, in words. */
  readonly events: string[];
  readonly messages: Message[];
  /** When each certificate was first seen, and until when its expiry was accepted. */
  readonly knownAt: Map<string, number>;
  readonly acceptedUntil: Map<string, number>;
  readonly breaches: string[];
  isPolicyClosed: boolean;
}

/** Plays one history; returns what breaks the rules, each with the events before it. */
export async function playHistory(stack: OneProcess, seed: number): Promise<string[]> {
  const random = createRandom(seed);
  const name = `h${seed}.example.org`;
  const { id: spaceId } = await makeSpace(stack.clients, `h${seed}`);
  const { id: fqdnId } = await addFqdn(stack.clients, spaceId, name);
  const params = { spaceId, fqdnId };
  const history: History = {
    stack,
    random,
    name,
    params,
    providerId: await dummyCaProvider(stack.clients),
    events: [],
    messages: [],
    knownAt: new Map(),
    acceptedUntil: new Map(),
    breaches: [],
    isPolicyClosed: false,
  };
  const names = Object.keys(acts);
  for (let step = 0; step < 8 && history.breaches.length === 0; step += 1) {
    const act = names[Math.floor(random() * names.length)] ?? 'pass';
    history.events.push(act);
    await acts[act]?.(history);
    await settleAndJudge(history);
    await passTime(history, timeToPass(random));
  }
  await enableProvider(history, true);
  await stack.clients.manager.deleteFqdn({ params: { id: spaceId, fqdnId } });
  await stack.manager.runWatch();
  stack.alerts();
  return history.breaches;
}

function timeToPass(random: () => number): number {
  const maxMs = [0, 5 * minute, day, 20 * day, 60 * day][Math.floor(random() * 5)] ?? 0;
  return Math.floor(random() * maxMs);
}

const acts: Readonly<Record<string, (history: History) => Promise<unknown>>> = {
  import: async ({ stack: { clock, clients }, random, name, params, events }) => {
    const lifetimeMs = [10 * minute, 2 * 60 * minute, 8 * day, 90 * day][Math.floor(random() * 4)] ?? day;
    const passed = Math.floor((random() * lifetimeMs * 0.95) / second) * second;
    const now = Math.floor(clock.now().getTime() / second) * second;
    const dates = { notBefore: new Date(now - passed), notAfter: new Date(now - passed + lifetimeMs) };
    events.push(`(${lifetimeMs / minute} min, ${Math.round(passed / minute)} passed)`);
    const { leafPem: pem } = await foreignCertificate({ dnsNames: [name], ...dates });
    await clients.manager.importCertificate({ params, body: { pem } });
  },
  upload: async ({ stack, params, name }) =>
    uploadCsr(stack.clients, params, name, await makeCsr(name)).catch(() => undefined),
  sign: ({ stack, params, providerId }) =>
    stack.clients.manager.signCsr({ params, body: { providerId } }).catch(() => undefined),
  signInVain: async (history) => {
    await enableProvider(history, false);
    await acts['sign']?.(history);
    await enableProvider(history, true);
  },
  providerGone: (history) => enableProvider(history, false),
  providerBack: (history) => enableProvider(history, true),
  switchOn: (history) => switchRenewal(history, true),
  switchOff: (history) => switchRenewal(history, false),
  revoke: async ({ stack: { clients }, params }) => {
    const newest = (await clients.manager.listCertificates({ params })).body.at(-1);
    if (newest === undefined) return;
    const body = { reason: 'superseded' } as const;
    await clients.manager
      .revokeCertificate({ params: { ...params, certId: newest.id }, body })
      .catch(() => undefined);
  },
  accept: ({ stack: { clients }, params }) =>
    clients.manager.setExpiryAccepted({ params, body: { accepted: true } }).catch(() => undefined),
  acceptNoMore: ({ stack: { clients }, params }) =>
    clients.manager.setExpiryAccepted({ params, body: { accepted: false } }).catch(() => undefined),
  closePolicy: (history) => setPolicy(history, true),
  openPolicy: (history) => setPolicy(history, false),
  pass: async () => undefined,
};

const enableProvider = ({ stack, providerId }: History, enabled: boolean) =>
  stack.clients.manager.setProviderEnabled({ params: { id: providerId }, body: { enabled } });

const switchRenewal = ({ stack, params }: History, renewalEnabled: boolean) =>
  stack.clients.manager.setRenewalEnabled({ params, body: { renewalEnabled } });

async function setPolicy(history: History, isClosed: boolean): Promise<void> {
  const { stack, params } = history;
  const providers = (await stack.clients.manager.listProviders({ query: {} })).body;
  const others = providers.filter(({ id }) => id !== history.providerId).map(({ id }) => id);
  const body = { allowedNames: null, providerIds: isClosed ? others : null, confirmed: true };
  await stack.clients.manager.setIssuancePolicy({ params: { id: params.spaceId }, query: {}, body });
  await stack.manager.reviewPolicies();
  history.isPolicyClosed = isClosed;
}

const showFqdn = async ({ stack, params: { spaceId: id, fqdnId } }: History): Promise<Fqdn> =>
  (await stack.clients.manager.getFqdn({ params: { id, fqdnId } })).body;

/** Lets the time pass, with a run of each job at each moment that matters on the way. */
async function passTime(history: History, ms: number): Promise<void> {
  const { clock } = history.stack;
  const end = clock.now().getTime() + ms;
  if (ms > 0) history.events.push(`${Math.round(ms / minute)} min`);
  for (let stop = 0; stop < 40 && history.breaches.length === 0; stop += 1) {
    const now = clock.now().getTime();
    const { status } = await showFqdn(history);
    const attentionAt = Date.parse(status?.attentionAt ?? '');
    const expiresAt = Date.parse(status?.certificate?.expiresAt ?? '');
    const stops = [attentionAt - minute, attentionAt, Date.parse(status?.renewAt ?? ''), expiresAt];
    const next = Math.min(end, ...stops.filter((moment) => moment > now));
    clock.set(new Date(next));
    await settleAndJudge(history);
    if (next >= end) return;
  }
}

/** Runs each job until pings in flight are settled, and judges what is shown then. */
async function settleAndJudge(history: History): Promise<void> {
  const { stack, name, messages, breaches } = history;
  for (let round = 0; round < 2; round += 1) {
    await stack.manager.runRenewals();
    await stack.manager.runWatch();
    await stack.tick();
    for (const text of stack.alerts()) {
      const status = text.startsWith(`${name} (`) ? / is (down|up): /.exec(text)?.[1] : undefined;
      if (status === undefined) continue;
      if (messages.at(-1)?.status === status) breaches.push(storyOf(history, `repeats that it is ${status}`));
      messages.push({ at: stack.clock.now().getTime(), status });
    }
  }
  await judge(history);
}

const storyOf = ({ events, name }: History, what: string) => `${name}: ${what} after ${events.join(', ')}`;

async function judge(history: History): Promise<void> {
  const { stack, params, breaches } = history;
  const now = stack.clock.now().getTime();
  const fqdn = await showFqdn(history);
  const { status } = fqdn;
  if (status === undefined) return;
  const { watched } = (await stack.clients.manager.explainRenewal({ params })).body;
  const query = { slug: `certloop-fqdn-${params.fqdnId}` };
  const check = (await stack.clients.monitor.listChecks({ query })).body.checks[0]?.status;
  // a check that is created again is new, and so are its messages
  if (check === undefined) history.messages.push({ at: now, status: 'deleted' });
  const isWatched = watched === 'renewal' || watched === 'expiry';
  const isBad = Date.parse(status.attentionAt ?? '') <= now;
  const isReplaced = /^The certificate was revoked/.test(status.reason) && isRenewing(status.outlook);
  const shown = `${status.state} (${status.reason}) in cert-manager and ${check} in the monitor`;
  if (isWatched && check === undefined) breaches.push(storyOf(history, `has no check, and is ${shown}`));
  if (isWatched && isBad && check !== 'down' && !isReplaced) breaches.push(storyOf(history, `is ${shown}`));
  const isLongWell = Date.parse(status.attentionAt ?? '9999-01-01') - now > 2 * minute;
  if (status.state === 'valid' && isLongWell && check === 'down')
    breaches.push(storyOf(history, `is ${shown}`));
  const cannot = !fqdn.renewalEnabled || status.csr === undefined || history.isPolicyClosed;
  if (status.reason.startsWith('Renews on') && cannot) breaches.push(storyOf(history, 'renews, and cannot'));
  judgeEnd(history, fqdn, isWatched);
}

const isRenewing = (outlook: string) => ['due', 'retrying', 'scheduled', 'running'].includes(outlook);

/** A certificate whose end was known a minute before has not ended without a message. */
function judgeEnd(history: History, { status, expiryAcceptedUntil }: Fqdn, isWatched: boolean): void {
  const { stack, knownAt, acceptedUntil, messages, breaches } = history;
  const certificate = status?.certificate;
  if (certificate === undefined) return;
  const now = stack.clock.now().getTime();
  const { id } = certificate;
  const end = Date.parse(certificate.chainExpiresAt ?? certificate.expiresAt);
  if (!knownAt.has(id)) knownAt.set(id, now);
  const until = Math.max(acceptedUntil.get(id) ?? 0, Date.parse(expiryAcceptedUntil ?? '') || 0);
  acceptedUntil.set(id, until);
  if (!isWatched || now < end || until >= end || (knownAt.get(id) ?? now) > end - minute) return;
  const last = messages.filter(({ at }) => at <= end).at(-1);
  if (last?.status !== 'down') breaches.push(storyOf(history, 'ended without a message'));
}
