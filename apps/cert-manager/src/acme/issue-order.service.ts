import { setTimeout } from 'node:timers/promises';
import { type AcmeOrder, AcmeProblem, AppError, UpstreamFailed } from '@certloop/contracts';
import { exportJwk, keyAuthorization } from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import type { AcmeClient, Resource } from './acme.client.js';
import type { Account } from './acme-account.service.js';
import { areSameIdentifiers, type OrderSubject } from './csr-rules.js';
import { type AuthorizationAt, chooseChallenge, planOrder } from './order-plan.js';
import { type OrderRecord, type ProofRecord, provenName, readOrderRecord } from './order-record.js';
import type { ChallengeItem, OrderJournal, OrderMoment, OrderStep, StepChange } from './order-steps.js';
import { isForgotten, isPermanent } from './problem-reading.js';
import type { Prover } from './prover.service.js';

/** Waits; rejects when the service stops meanwhile. */
export type Pause = (ms: number) => Promise<void>;

/** Waits that end when the signal fires; they reject with its reason then. */
export function pauseUntil(signal: AbortSignal): Pause {
  return async (ms) => {
    await setTimeout(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
  };
}

export interface OrderDeps {
  readonly client: AcmeClient;
  readonly account: Account;
  readonly prover: Prover;
  readonly journal: OrderJournal;
  readonly clock: Clock;
  readonly pause: Pause;
  /** Told of each moment; an error that it throws ends the work as the end of the process would. */
  readonly atMoment: (moment: OrderMoment) => Promise<void>;
}

export interface OrderTerms extends OrderSubject {
  readonly profile?: string | undefined;
  /** Name in renewal information of the certificate whose place the new one takes (RFC 9773 §5). */
  readonly replaces?: string | undefined;
  /** How long the order may wait for the CA, in all. */
  readonly waitMs: number;
}

/** What an order led to. */
export interface IssuedOrder {
  readonly order: AcmeOrder;
  readonly certificateUrl: string;
}

/** Somebody has to publish something before the order can go on. */
export class OrderWaits extends AppError {
  constructor(message: string) {
    super('conflict', message, { code: 'waiting_manual' });
  }
}

/**
 * Takes an order as far as its certificate (RFC 8555 §7.4): one that was begun goes on where it was left, found by
 * what is on disk, and no second one is placed for it. Throws AcmeProblem when the CA refuses, UpstreamFailed when
 * it does not answer, OrderWaits; what the journal throws passes through.
 */
export async function issueOrder(deps: OrderDeps, terms: OrderTerms): Promise<IssuedOrder> {
  const run = createRun(deps, terms);
  try {
    const issued = await goOn(run, await openOrder(run));
    await withdrawProofs(run);
    return issued;
  } catch (error) {
    if (error instanceof AppError && !(error instanceof OrderWaits)) await clear(run, error);
    throw error;
  }
}

interface Run {
  readonly deps: OrderDeps;
  readonly terms: OrderTerms;
  record: OrderRecord;
  /** Challenges that the CA was asked to look at, by this process. */
  readonly answered: Set<string>;
  readonly items: Map<string, ChallengeItem>;
  waitedMs: number;
}

type CurrentOrder = Resource<AcmeOrder> & { readonly url: string };

function createRun(deps: OrderDeps, terms: OrderTerms): Run {
  const record = readOrderRecord(deps.journal.kept);
  return { deps, terms, record, answered: new Set(), items: new Map(), waitedMs: 0 };
}

async function keep(run: Run, change: OrderRecord): Promise<void> {
  run.record = { ...run.record, ...change };
  await run.deps.journal.keep(run.record);
}

async function report(run: Run, step: OrderStep, change: StepChange): Promise<void> {
  await run.deps.journal.onStep?.(step, change);
}

/** The order that was begun, or a new one. */
async function openOrder(run: Run): Promise<CurrentOrder> {
  await report(run, 'order', { status: 'running' });
  const order = (await findBegun(run)) ?? (await placeOrder(run));
  await report(run, 'order', { status: 'ok', url: order.url, detail: namesOf(run.terms) });
  return order;
}

async function findBegun(run: Run): Promise<CurrentOrder | undefined> {
  const { url, isOrdering } = run.record;
  if (url === undefined) return isOrdering === true ? findLost(run) : undefined;
  try {
    return { url, ...(await run.deps.client.getOrder(run.deps.account, url)) };
  } catch (error) {
    if (!(error instanceof AcmeProblem && isForgotten(error))) throw error;
    run.record = {};
    return undefined;
  }
}

/**
 * The order whose answer never arrived: one for the same names that nobody has finalized, since that comes after
 * its URL is on disk. A CA that lists no orders leaves such a one to expire; no certificate comes of it.
 */
async function findLost(run: Run): Promise<CurrentOrder | undefined> {
  const { client, account } = run.deps;
  const urls = (await client.listOrders(account).catch(nothingListed)) ?? [];
  for (const url of urls.slice(-mostLooked).reverse()) {
    const order = await client.getOrder(account, url);
    const isOpen = order.body.status === 'pending' || order.body.status === 'ready';
    if (!isOpen || !areSameIdentifiers(order.body.identifiers, run.terms.identifiers)) continue;
    await keep(run, { url });
    return { url, ...order };
  }
  return undefined;
}

const mostLooked = 50;

/** Listing is a convenience; without it there is only the new order. */
function nothingListed(error: unknown): undefined {
  if (error instanceof AcmeProblem || error instanceof UpstreamFailed) return undefined;
  throw error;
}

async function placeOrder(run: Run): Promise<CurrentOrder> {
  const { client, account, atMoment } = run.deps;
  const { identifiers, profile, replaces } = run.terms;
  await keep(run, { isOrdering: true });
  await atMoment('ordering');
  const order = await client.newOrder(account, { identifiers, profile, replaces }).catch((error: unknown) => {
    // RFC 9773 §5: another order has taken the certificate's place already; this one is an ordinary one then
    const isReplaced = error instanceof AcmeProblem && error.type === 'alreadyReplaced';
    if (!isReplaced || replaces === undefined) throw error;
    return client.newOrder(account, { identifiers, profile });
  });
  await atMoment('ordered');
  await keep(run, { url: order.url });
  await atMoment('order_kept');
  return order;
}

async function goOn(run: Run, first: CurrentOrder): Promise<IssuedOrder> {
  const { client, account } = run.deps;
  let order: Resource<AcmeOrder> = first;
  for (;;) {
    const authorizations = await readAuthorizations(run, order.body);
    const move = planOrder(order.body, authorizations, run.answered);
    await reportProven(run, order.body, authorizations);
    switch (move.kind) {
      case 'fail':
        throw move.problem;
      case 'download':
        await report(run, 'finalize', { status: 'ok' });
        return { order: order.body, certificateUrl: move.certificateUrl };
      case 'prove':
        await prove(run, move.authorizations);
        break;
      case 'finalize':
        order = (await finalize(run, order.body)) ?? (await client.getOrder(account, first.url));
        continue;
      case 'wait':
        await waitFor(run, order.retryAt);
    }
    order = await readPatiently(run, () => client.getOrder(account, first.url));
  }
}

/** Authorizations say what is to be proven, and what went wrong; in between nobody needs them. */
function readAuthorizations(run: Run, { status, authorizations }: AcmeOrder): Promise<AuthorizationAt[]> {
  if (status !== 'pending' && status !== 'invalid') return Promise.resolve([]);
  const { client, account } = run.deps;
  return Promise.all(
    authorizations.map(async (url) => {
      const { body } = await readPatiently(run, () => client.getAuthorization(account, url));
      return { url, authorization: body };
    }),
  );
}

async function prove(run: Run, authorizations: readonly AuthorizationAt[]): Promise<void> {
  const { prover, client, account, journal, atMoment } = run.deps;
  const proofs = authorizations.map(({ authorization }): ProofRecord => {
    const { identifier, wildcard } = authorization;
    const challenge = chooseChallenge(authorization, prover.wanted);
    return { ...challenge, identifier, isWildcard: wildcard === true };
  });
  await keep(run, { proofs: merged(run.record.proofs ?? [], proofs) });
  await atMoment('proofs_kept');
  if (prover.isManual && journal.isConfirmed !== true) await waitForPeople(run, proofs);
  for (const proof of proofs) {
    await reportItem(run, proof, { status: 'running' });
    await prover.present(proof, answerFor(run, proof));
  }
  await atMoment('published');
  await Promise.all(proofs.map((proof) => check(run, proof)));
  for (const { url } of proofs) {
    await client.answerChallenge(account, url);
    run.answered.add(url);
  }
  await atMoment('answered');
}

/** A proof that cannot be seen from here may well be seen by the CA. */
async function check(run: Run, proof: ProofRecord): Promise<void> {
  const warning = await run.deps.prover.check(proof, answerFor(run, proof));
  if (warning !== undefined) await reportItem(run, proof, { status: 'running', detail: warning });
}

async function waitForPeople(run: Run, proofs: readonly ProofRecord[]): Promise<never> {
  for (const proof of proofs) {
    const publish = run.deps.prover.instruction(proof, answerFor(run, proof));
    run.items.set(provenName(proof), { type: proof.type, status: 'waiting_manual', publish });
  }
  const message = 'waiting until somebody has published what stands under challenges';
  await report(run, 'challenges', { status: 'waiting_manual', detail: message, items: itemsOf(run) });
  throw new OrderWaits(message);
}

function answerFor({ deps }: Run, { token }: ProofRecord): string {
  return keyAuthorization(token, exportJwk(deps.account.privateKey));
}

function merged(known: readonly ProofRecord[], more: readonly ProofRecord[]): ProofRecord[] {
  return [...new Map([...known, ...more].map((proof) => [proof.url, proof])).values()];
}

async function reportItem(run: Run, proof: ProofRecord, item: Omit<ChallengeItem, 'type'>): Promise<void> {
  run.items.set(provenName(proof), { type: proof.type, ...item });
  await report(run, 'challenges', { status: 'running', items: itemsOf(run) });
}

async function reportProven(
  run: Run,
  { status }: AcmeOrder,
  authorizations: readonly AuthorizationAt[],
): Promise<void> {
  for (const { authorization } of authorizations) {
    const name = provenName({
      identifier: authorization.identifier,
      isWildcard: authorization.wildcard === true,
    });
    if (authorization.status === 'valid') settleItem(run, name, 'ok');
    else if (authorization.status !== 'pending') settleItem(run, name, 'failed');
  }
  if (status === 'pending' || status === 'invalid') return;
  for (const name of run.items.keys()) settleItem(run, name, 'ok');
  const isWarned = [...run.items.values()].some((item) => item.status === 'warning');
  await report(run, 'challenges', { status: isWarned ? 'warning' : 'ok', items: itemsOf(run) });
}

/** An item that went well in spite of a warning keeps it. */
function settleItem({ items }: Run, name: string, status: 'ok' | 'failed'): void {
  const item = items.get(name) ?? { type: 'known', status };
  const isWarned = status === 'ok' && item.detail !== undefined;
  items.set(name, { ...item, status: isWarned ? 'warning' : status });
}

function itemsOf({ items }: Run): Record<string, ChallengeItem> {
  return Object.fromEntries(items);
}

/** The order after the CSR was handed in; undefined when the CA says that it is not ready for it. */
async function finalize(run: Run, order: AcmeOrder): Promise<Resource<AcmeOrder> | undefined> {
  const { client, account, atMoment } = run.deps;
  await report(run, 'finalize', { status: 'running' });
  await keep(run, { isFinalizing: true });
  await atMoment('finalizing');
  try {
    const finalized = await client.finalize(account, order.finalize, run.terms.csrDer);
    await atMoment('finalized');
    return finalized;
  } catch (error) {
    if (!(error instanceof AcmeProblem && error.type === 'orderNotReady')) throw error;
    await waitFor(run, undefined);
    return undefined;
  }
}

const leastWaitMs = 1000;
const mostWaitMs = 600_000;

/** Waits until the CA wants to be asked again, within the time that the order has. */
async function waitFor(run: Run, retryAt: Date | undefined): Promise<void> {
  const { clock, pause } = run.deps;
  const wanted = retryAt === undefined ? leastWaitMs : retryAt.getTime() - clock.now().getTime();
  const ms = Math.min(Math.max(wanted, leastWaitMs), mostWaitMs);
  run.waitedMs += ms;
  if (run.waitedMs > run.terms.waitMs) {
    throw new UpstreamFailed('the CA has not come to an end with the order in time', { timedOut: true });
  }
  await pause(ms);
}

const mostFailures = 3;

/** What only reads may fail now and then. */
async function readPatiently<T>(run: Run, read: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await read();
    } catch (error) {
      if (failures === mostFailures || !isPassing(error)) throw error;
      await waitFor(run, undefined);
    }
  }
}

/** Whether the same request may well succeed a little later. */
function isPassing(error: unknown): boolean {
  if (error instanceof AcmeProblem) return error.type === 'serverInternal';
  return error instanceof UpstreamFailed && error.code !== 'target_refused';
}

/** An order that the CA gave up is forgotten; one that only hangs goes on in the next try. */
async function clear(run: Run, error: AppError): Promise<void> {
  await withdrawProofs(run);
  const isOver =
    error instanceof AcmeProblem && error.type !== 'serverInternal' && error.type !== 'rateLimited';
  if (isOver || (error instanceof AcmeProblem && isPermanent(error))) await run.deps.journal.keep(undefined);
}

/** What was published is of no use any more; that it cannot be taken back is no reason to fail. */
async function withdrawProofs(run: Run): Promise<void> {
  for (const proof of run.record.proofs ?? []) {
    await run.deps.prover.withdraw(proof, answerFor(run, proof));
  }
}

function namesOf({ identifiers }: OrderTerms): string {
  return identifiers.length === 1 ? (identifiers[0]?.value ?? '') : `${identifiers.length} names`;
}
