import type { Clock, Logger } from '@certloop/server';
import { awayUntil, isPaused, roomAskedAt } from '../watch-pause.js';
import { type MonitorClient, MonitorRefused } from './monitor.client.js';

/** State of the monitor as this process knows it: whether it responds, and whether it accepts another check. */
export interface MonitorPresence {
  /** The monitor; the result of each call updates what is known. */
  readonly monitor: MonitorClient;
  /** Whether calls are paused because it did not respond. */
  isAway(): boolean;
  /** Whether a check may be created now. After a refusal, one call may try again later. */
  mayAskForCheck(): boolean;
  /** Ends a run, and returns whether the monitor failed to respond in it. */
  endRun(): boolean;
}

/** Logs once when the monitor stops responding, responds again, or has no room for another check. */
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

/** Whether the monitor responds. After a run without a response, calls pause. */
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
    isAway: () => isPaused(pausedUntil, clock.now()),
    endRun: () => {
      const reason = failure;
      noteRun(reason, count);
      failure = undefined;
      count = 0;
      return reason !== undefined;
    },
  };
}

/** Whether the monitor has room for another check. While it has none, calls try rarely. */
function createRoom({ clock, logger }: PresenceTools) {
  let askAgainAt: Date | undefined;
  return {
    noteGranted: () => {
      if (askAgainAt !== undefined) logger.info({}, 'watch.check_limit_lifted');
      askAgainAt = undefined;
    },
    noteError: (error: unknown) => {
      if (!(error instanceof MonitorRefused && error.fault === 'no_room')) return;
      if (askAgainAt === undefined) logger.warn({ reason: error.message }, 'watch.check_limit_reached');
      askAgainAt = roomAskedAt(clock.now());
    },
    mayAsk: () => {
      if (askAgainAt === undefined) return true;
      if (isPaused(askAgainAt, clock.now())) return false;
      askAgainAt = roomAskedAt(clock.now());
      return true;
    },
  };
}
