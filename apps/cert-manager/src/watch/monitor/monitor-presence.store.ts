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
export function createPresence(client: MonitorClient, tools: PresenceTools): MonitorPresence {
  const answers = createAnswers(tools);
  const room = createRoom(tools);
  const { note } = answers;
  return {
    monitor: {
      createCheck: async (check) => {
        const made = note(client.createCheck(check));
        made.then(room.noteGranted, room.noteError);
        return made;
      },
      updateCheck: (uuid, check) => note(client.updateCheck(uuid, check)),
      deleteCheck: (uuid) => note(client.deleteCheck(uuid)),
      findChecks: (slug) => note(client.findChecks(slug)),
      ping: (uuid, signal, sent) => note(client.ping(uuid, signal, sent)),
    },
    isAway: answers.isAway,
    mayAskForCheck: room.mayAsk,
    endRun: answers.endRun,
  };
}

interface PresenceTools {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whether calls are answered; after runs without an answer come pauses. */
function createAnswers({ clock, logger }: PresenceTools) {
  let awayRuns = 0;
  let pausedUntil: Date | undefined;
  let count = 0;
  let failure: string | undefined;

  const noteRun = (reason: string | undefined, answered: number) => {
    if (reason !== undefined) {
      if (awayRuns === 0) logger.warn({ reason }, 'watch.monitor_away');
      awayRuns += 1;
      pausedUntil = awayUntil(awayRuns, clock.now());
    } else if (answered > 0) {
      if (awayRuns > 0) logger.info({}, 'watch.monitor_back');
      awayRuns = 0;
      pausedUntil = undefined;
    }
  };
  return {
    note: async <T>(call: Promise<T>): Promise<T> => {
      try {
        const answer = await call;
        count += 1;
        return answer;
      } catch (error) {
        if (error instanceof MonitorRefused && error.fault === 'away') failure ??= error.message;
        throw error;
      }
    },
    isAway: () => pausedUntil !== undefined && clock.now() < pausedUntil,
    endRun: () => {
      const reason = failure;
      noteRun(reason, count);
      failure = undefined;
      count = 0;
      return reason !== undefined;
    },
  };
}

/** Whether the monitor has room for another check; while it has none, it is asked seldom. */
function createRoom({ clock, logger }: PresenceTools) {
  let askAgainAt: Date | undefined;
  return {
    noteGranted: () => {
      if (askAgainAt !== undefined) logger.info({}, 'watch.room');
      askAgainAt = undefined;
    },
    noteError: (error: unknown) => {
      if (!(error instanceof MonitorRefused && error.fault === 'no_room')) return;
      if (askAgainAt === undefined) logger.warn({ reason: error.message }, 'watch.no_room');
      askAgainAt = roomAskedAt(clock.now());
    },
    mayAsk: () => {
      if (askAgainAt === undefined) return true;
      if (clock.now() < askAgainAt) return false;
      askAgainAt = roomAskedAt(clock.now());
      return true;
    },
  };
}
