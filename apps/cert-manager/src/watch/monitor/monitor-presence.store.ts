import type { Clock, Logger } from '@certloop/server';
import { awayUntil, roomAskedAt } from '../watch-pause.js';
import { type MonitorClient, MonitorRefused } from './monitor.client.js';

/** What this process knows of the monitor: whether it answers, and whether it takes another check. */
export interface MonitorPresence {
  /** The monitor; every call is noted. */
  readonly monitor: MonitorClient;
  /** Whether it failed to answer a short while ago. */
  isAway(): boolean;
  /** Whether a new check may be asked for now; after a refusal one call asks, later. */
  mayAskForCheck(): boolean;
  /** Ends a run; true when the monitor failed to answer in it. */
  endRun(): boolean;
}

/** Logs once when the monitor goes, comes back, or has no room for another check, however many calls there are. */
export function createPresence(
  client: MonitorClient,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): MonitorPresence {
  let awayRuns = 0;
  let pausedUntil: Date | undefined;
  let askAgainAt: Date | undefined;
  let answers = 0;
  let failure: string | undefined;

  const noted = async <T>(call: Promise<T>): Promise<T> => {
    try {
      const answer = await call;
      answers += 1;
      return answer;
    } catch (error) {
      if (error instanceof MonitorRefused && error.fault === 'away') failure ??= error.message;
      throw error;
    }
  };
  const noteRoom = () => {
    if (askAgainAt !== undefined) logger.info({}, 'watch.room');
    askAgainAt = undefined;
  };
  const noteNoRoom = (error: unknown) => {
    if (!(error instanceof MonitorRefused && error.fault === 'no_room')) return;
    if (askAgainAt === undefined) logger.warn({ reason: error.message }, 'watch.no_room');
    askAgainAt = roomAskedAt(clock.now());
  };

  return {
    monitor: {
      createCheck: async (check) => {
        const made = noted(client.createCheck(check));
        made.then(noteRoom, noteNoRoom);
        return made;
      },
      updateCheck: (uuid, check) => noted(client.updateCheck(uuid, check)),
      deleteCheck: (uuid) => noted(client.deleteCheck(uuid)),
      findChecks: (slug) => noted(client.findChecks(slug)),
      ping: (uuid, signal, sent) => noted(client.ping(uuid, signal, sent)),
    },
    isAway: () => pausedUntil !== undefined && clock.now() < pausedUntil,
    mayAskForCheck: () => {
      if (askAgainAt === undefined) return true;
      if (clock.now() < askAgainAt) return false;
      askAgainAt = roomAskedAt(clock.now());
      return true;
    },
    endRun: () => {
      const [reason, count] = [failure, answers];
      failure = undefined;
      answers = 0;
      if (reason !== undefined) {
        if (awayRuns === 0) logger.warn({ reason }, 'watch.monitor_away');
        awayRuns += 1;
        pausedUntil = awayUntil(awayRuns, clock.now());
      } else if (count > 0) {
        if (awayRuns > 0) logger.info({}, 'watch.monitor_back');
        awayRuns = 0;
        pausedUntil = undefined;
      }
      return reason !== undefined;
    },
  };
}
