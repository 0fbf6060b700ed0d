import { type Micros, microsPerSecond } from '../../instants.js';

/** The limit of Healthchecks. Telegram takes 20 messages a minute into a group at most, from all that the bot does. */
const maxPerMinute = 6;
const minute: Micros = 60 * microsPerSecond;

/** Limits how many messages one receiver gets a minute. */
export interface MessageThrottle {
  /** Takes a turn of the receiver and returns 0, or how long its next turn is away. */
  take(receiver: string, now: Micros): Micros;
}

/** Throttle of this process, for receivers of one kind. */
export function createMessageThrottle(): MessageThrottle {
  const turns = new Map<string, readonly Micros[]>();
  return {
    take: (receiver, now) => {
      const recent = (turns.get(receiver) ?? []).filter((turn) => now - turn < minute);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= maxPerMinute) return oldest + minute - now;
      // to the end, so that the first ones are those that were quiet for longest
      turns.delete(receiver);
      turns.set(receiver, [...recent, now]);
      forgetQuiet(turns, now);
      return 0;
    },
  };
}

function forgetQuiet(turns: Map<string, readonly Micros[]>, now: Micros): void {
  for (const [receiver, times] of turns) {
    if (now - (times.at(-1) ?? 0) < minute) return;
    turns.delete(receiver);
  }
}
