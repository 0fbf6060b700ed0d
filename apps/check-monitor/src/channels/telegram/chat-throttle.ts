import { type Micros, microsPerSecond } from '../../instants.js';

/** Telegram takes 20 messages a minute into a group at most, from all that the bot does; alerts take fewer. */
const mostAMinute = 6;
const minute: Micros = 60 * microsPerSecond;

/** Keeps a bot from telling one chat more than it may. */
export interface ChatThrottle {
  /** Takes a turn of the chat and returns 0, or how long its next turn is away. */
  take(chat: string, now: Micros): Micros;
}

/** Throttle of this process; what Telegram itself refuses for others is answered with its own wait. */
export function createChatThrottle(): ChatThrottle {
  const turns = new Map<string, readonly Micros[]>();
  return {
    take: (chat, now) => {
      const recent = (turns.get(chat) ?? []).filter((turn) => now - turn < minute);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= mostAMinute) return oldest + minute - now;
      // to the end, so that the first ones are those that were quiet for longest
      turns.delete(chat);
      turns.set(chat, [...recent, now]);
      forgetQuiet(turns, now);
      return 0;
    },
  };
}

function forgetQuiet(turns: Map<string, readonly Micros[]>, now: Micros): void {
  for (const [chat, times] of turns) {
    if (now - (times.at(-1) ?? 0) < minute) return;
    turns.delete(chat);
  }
}
