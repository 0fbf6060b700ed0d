import { calendar, type LeafUse, rulesInForce, startOf } from '@certloop/crypto';
import { type Tx, yieldBetween } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { readableSpaces } from '../access/permissions.js';
import type { DbDeps } from '../db-deps.js';
import { invalidField } from '../http/problem.js';
import { kindOf } from '../providers/provider-kinds.js';
import { listProviders } from '../providers/providers.repository.js';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import type { RecentAnswers } from '../statuses/outlook/recent-answers.store.js';
import { type InventoryName, type InventoryProvider, inventoryProvider } from './inventory-name.js';
import { createLeafReader, type KnownLeaves } from './read-leaves.service.js';
import { createReview } from './readiness.js';
import { countAdvice, type InventoryRow, listInventory } from './readiness.repository.js';
import type { ReadinessReport } from './readiness-view.js';

export interface ReadinessDeps extends DbDeps {
  /** Reports that are good for a minute, by day and spaces. */
  readonly reports: RecentAnswers;
  readonly leaves: KnownLeaves;
  /** Few at once, as each reads every name that its caller may read. */
  readonly limitReviews: <T>(work: () => Promise<T>) => Promise<T>;
}

const maxYears = 10;
const namesAtOnce = 1000;

/** Judges the names that the caller may read by the rules of a day. Throws InvalidInput for a day that is out of bounds. */
export async function showReadiness(
  deps: ReadinessDeps,
  caller: Caller,
  { on, spaceId }: { readonly on?: string | undefined; readonly spaceId?: string | undefined },
): Promise<ReadinessReport> {
  const now = deps.clock.now();
  const day = readDay(on, now);
  const scope = readableSpaces(caller, spaceId);
  const key = `${day} ${scope === 'all' ? scope : scope.toSorted().join(' ')}`;
  return deps.reports.read(key, () => deps.limitReviews(() => review(deps, scope, { day, now })));
}

/** The day of a query; today when absent. */
function readDay(on: string | undefined, now: Date): string {
  const today = now.toISOString().slice(0, 10);
  const last = `${Number(today.slice(0, 4)) + maxYears}${today.slice(4)}`;
  if (on !== undefined && (on < today || on > last))
    throw invalidField('query.on', `must be from ${today} to ${last}; leave it out for today`);
  return on ?? today;
}

async function review(
  deps: ReadinessDeps,
  scope: SpaceScope,
  { day, now }: { day: string; now: Date },
): Promise<ReadinessReport> {
  const { db } = deps;
  const on = startOf(day);
  const providers = await db.longRead((tx) => readProviders(tx, now));
  const found = createReview(calendar, on);
  const reader = createLeafReader(db, deps.leaves);
  let last = '';
  try {
    for await (const _slice of yieldBetween()) {
      const rows = await db.longRead((tx) => listInventory(tx, { scope, now, last, limit: namesAtOnce }));
      const judged = rows.filter((row) => mayBeOfPublicCa(row, providers));
      const leaves = await reader.read(judged.map(({ certificateId }) => certificateId));
      for (const row of rows) found.add(nameOf(row, providers, leaves.get(row.certificateId)));
      last = rows.at(-1)?.id ?? last;
      if (rows.length < namesAtOnce) break;
    }
  } finally {
    await reader.close();
  }
  const today = now.toISOString().slice(0, 10);
  const dates = [...new Set(calendar.map(({ from }) => from))].filter((date) => date > today);
  return { ...found.result(), day, dates, rules: rulesInForce(calendar, on), computedAt: now };
}

type Providers = ReadonlyMap<string, InventoryProvider>;

async function readProviders(tx: Tx, now: Date): Promise<Providers> {
  const rows = await listProviders(tx);
  const advice = new Map((await countAdvice(tx, now)).map((row) => [row.providerId, row]));
  return new Map(
    rows.map((row) => {
      const said = advice.get(row.id);
      const givesAdvice = kindOf(row).givesAdvice ? saysWhen(said) : false;
      return [row.id, inventoryProvider(row, givesAdvice)];
    }),
  );
}

/** Whether a CA says when it wants certificates renewed; undefined if it has not been asked. */
function saysWhen(said: { windows: number; without: number } | undefined): boolean | undefined {
  if (said === undefined || said.windows + said.without === 0) return undefined;
  return said.windows > 0;
}

/** A certificate for which a private CA is asked again follows no rule of public CAs, and need not be read. */
function mayBeOfPublicCa({ providerId }: InventoryRow, providers: Providers): boolean {
  return providerId === null || providers.get(providerId)?.isPublic !== false;
}

function nameOf(row: InventoryRow, providers: Providers, use: LeafUse | undefined): InventoryName {
  const { id, spaceId, fqdn, notBefore, issuer, renewedBy, outlook, renewAfterPermille, providerId } = row;
  return {
    fqdnId: id,
    spaceId,
    fqdn,
    notBefore,
    expiresAt: row.leafEnd,
    issuer,
    renewedBy,
    isPublic: use?.isPublic === true,
    isForClients: use?.isForClients === true,
    outlook,
    renewAfterPermille,
    provider: providerId === null ? undefined : providers.get(providerId),
  };
}
