import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { watchPings } from '../../../src/watch/pings/watch-pings.repository.js';
import { watchedFqdns } from '../../../src/watch/watched-fqdns.repository.js';
import type { TestApp } from '../../support/app.js';
import { clearWatched, startWatched, type WatchedPlace } from '../../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../../support/monitor/watching-monitor.js';
import type { RenewalPlace } from '../../support/renewals.js';

export const minute = 60_000;
export const day = 1440 * minute;

/** What a test finds in place: a service that renews certificates, and the monitor that watches them. */
export interface WatchStage {
  readonly app: TestApp;
  readonly monitor: WatchingMonitor;
  readonly place: RenewalPlace;
  /** Signals of the pings of the only check, the oldest first. */
  signals(): readonly string[];
  /** Text of the newest ping of the only check. */
  lastBody(): string | undefined;
  /** Events that the service logged. */
  events(): readonly unknown[];
  /** Whole seconds until a moment. */
  secondsTo(moment: string): number;
}

/** Describes the watch of certificates on each database. After each test neither service has anything of it. */
export function describeWatch(name: string, suite: (stage: WatchStage) => void): void {
  describeEachDialect(name, (open) => {
    let watched: WatchedPlace;
    const stage: WatchStage = Object.assign({} as Pick<WatchStage, 'app' | 'monitor' | 'place'>, {
      signals: () => stage.monitor.check().pings.map(({ signal }) => signal),
      lastBody: () => stage.monitor.check().pings.at(-1)?.body,
      events: () => stage.app.logged().map(({ event }) => event),
      secondsTo: (moment: string) => Math.ceil((Date.parse(moment) - stage.app.clock.now().getTime()) / 1000),
    });
    beforeAll(async () => {
      watched = await startWatched(open);
      const { monitor, place } = watched;
      Object.assign(stage, { monitor, place, app: place.app });
    });
    beforeEach(() => {
      stage.monitor.asked.length = 0;
    });
    afterEach(async () => {
      await clearWatched(watched);
      expect(await stage.app.database.read((tx) => tx.count(watchedFqdns))).toBe(0);
      expect(await stage.app.database.read((tx) => tx.count(watchPings))).toBe(0);
      expect(stage.monitor.checks()).toEqual([]);
    });
    afterAll(() => watched.close());
    suite(stage);
  });
}
