import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import type { AppConfig, AppOptions } from './app-options.js';
import { createCheckBadges } from './badges/check-badges.store.js';
import { createTallies, type Tallies } from './badges/tallies.store.js';
import { type CheckChanges, createCheckChanges } from './checks/check-changes.store.js';
import type { ServiceMetrics } from './metrics/service-metrics.service.js';

/** Options of the app with the parts that its requests share. */
export type SharedParts = Omit<AppOptions, 'database'> &
  AppConfig & {
    readonly db: Database;
    readonly newUuid: () => string;
    readonly changes: CheckChanges;
    readonly noteChange: CheckChanges['note'];
    readonly tallies: Tallies;
    readonly findBadgeCheck: ReturnType<typeof createCheckBadges>;
    readonly bodyLimit: number;
    /** Path before the pages of the console; undefined where only the API is served. */
    readonly consolePath: string | undefined;
    readonly onBatch: ServiceMetrics['onBatch'];
    readonly onThrottled: () => void;
    readonly onUnheardFlip: () => void;
  };

/** Creates what the parts of the service share. */
export function createSharedParts(
  { database: db, ...given }: AppOptions,
  watch: ServiceMetrics,
): SharedParts {
  const { config, clock, consoleFolder: folder } = given;
  const changes = createCheckChanges();
  const reads = { db, clock, changes };
  return {
    ...config,
    ...given,
    db,
    consolePath: folder === undefined ? undefined : pathOfConsole(config.addresses.siteRoot),
    newUuid: randomUUID,
    bodyLimit: config.pingBodyLimit,
    changes,
    noteChange: changes.note,
    tallies: createTallies(reads),
    findBadgeCheck: createCheckBadges(reads),
    onBatch: watch.onBatch,
    onThrottled: watch.onThrottled,
    onUnheardFlip: watch.onUnheardFlip,
  };
}

/** The service may stand below a path of a proxy. */
function pathOfConsole(siteRoot: string): string {
  return `${new URL(siteRoot).pathname.replace(/\/+$/, '')}/ui/`;
}
