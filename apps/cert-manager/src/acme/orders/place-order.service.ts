import { type AcmeOrder, AcmeProblem, UpstreamFailed } from '@certloop/contracts';
import { areSameIdentifiers } from '../../judging/csr-rules.js';
import { isForgotten } from '../problem-reading.js';
import type { CurrentOrder, OrderRun, OrderTerms } from './order-run.service.js';

/** The order that was begun, or a new one. */
export async function openOrder(run: OrderRun): Promise<CurrentOrder> {
  await run.report('order', { status: 'running' });
  const order = (await findBegun(run)) ?? (await placeOrder(run));
  await run.report('order', { status: 'ok', url: order.url, detail: namesOf(run.terms) });
  return order;
}

async function findBegun(run: OrderRun): Promise<CurrentOrder | undefined> {
  const { url, isOrdering } = run.record;
  if (url === undefined) return isOrdering === true ? findLost(run) : undefined;
  const { client, account } = run.deps;
  try {
    if (await isOfThisCa(run, url)) {
      const order = await client.getOrder(account, url);
      if (run.record.isFinalizing === true || !isExpired(order.body, run.deps.clock.now()))
        return { url, ...order };
    }
  } catch (error) {
    if (!(error instanceof AcmeProblem && isForgotten(error))) throw await run.faultOfLook(error);
  }
  if (run.record.isFinalizing === true) {
    const reason = `its CA no longer knows the order ${url}`;
    await run.deps.journal.store({}, { reason });
  }
  run.record = {};
  return undefined;
}

/** Whether the CA gave an order up since no one had completed it in time: no certificate comes of it. */
function isExpired({ status, expires }: AcmeOrder, now: Date): boolean {
  const isOpen = status === 'pending' || status === 'ready' || status === 'invalid';
  return isOpen && expires !== undefined && new Date(expires) <= now;
}

/** Whether an order is where the CA is now; the provider may have been given another CA since. */
async function isOfThisCa({ deps }: OrderRun, url: string): Promise<boolean> {
  const { newOrder } = await deps.client.directory();
  return URL.canParse(url) && new URL(url).origin === new URL(newOrder).origin;
}

/**
 * The order whose answer never arrived: one for the same names that no one has finalized, since that comes after
 * its URL is on disk, and that no other request or renewal holds. A CA that lists no orders leaves such a one to expire; no certificate comes of it.
 */
async function findLost(run: OrderRun): Promise<CurrentOrder | undefined> {
  const { client, account } = run.deps;
  const urls = (await client.listOrders(account).catch(nothingListed)) ?? [];
  const isHeld = run.deps.journal.isHeldElsewhere ?? (async () => false);
  for (const url of urls.slice(-maxLooked).reverse()) {
    if (await isHeld(url)) continue;
    const order = await client.getOrder(account, url);
    const isOpen = order.body.status === 'pending' || order.body.status === 'ready';
    if (!isOpen || !areSameIdentifiers(order.body.identifiers, run.terms.identifiers)) continue;
    await run.store({ url });
    // of two that adopt one at the same moment, each sees the other here
    if (!(await isHeld(url))) return { url, ...order };
    await run.store({ url: undefined });
  }
  return undefined;
}

const maxLooked = 50;

/** Listing is a convenience; without it there is only the new order. */
function nothingListed(error: unknown): undefined {
  if (error instanceof AcmeProblem || error instanceof UpstreamFailed) return undefined;
  throw error;
}

async function placeOrder(run: OrderRun): Promise<CurrentOrder> {
  const { client, account, atMoment } = run.deps;
  const { identifiers, profile, replaces } = run.terms;
  await run.store({ isOrdering: true });
  await atMoment('ordering');
  const order = await client.newOrder(account, { identifiers, profile, replaces }).catch((error: unknown) => {
    if (replaces === undefined || !isAboutReplaced(error)) throw error;
    return client.newOrder(account, { identifiers, profile });
  });
  await atMoment('ordered');
  await run.store({ url: order.url });
  await atMoment('order_stored');
  return order;
}

/**
 * Whether a CA may have refused for the certificate that is to be replaced: another order has taken its place
 * already (RFC 9773 §5), or the CA does not know it, or not as this account's. Naming it is not a condition.
 */
function isAboutReplaced(error: unknown): boolean {
  if (!(error instanceof AcmeProblem)) return false;
  // pebble calls it a fault of its own if it does not find the certificate; later tries would not change that
  if (error.members['caStatus'] === 500) return true;
  return ['alreadyReplaced', 'malformed', 'unauthorized'].includes(error.type);
}

function namesOf({ identifiers }: OrderTerms): string {
  return identifiers.length === 1 ? (identifiers[0]?.value ?? '') : `${identifiers.length} names`;
}
