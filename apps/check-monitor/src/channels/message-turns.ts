import type { Micros } from '../instants.js';
import { tooMany } from './delivery-result.js';
import type { Integration } from './integration.js';
import { createMessageThrottle } from './message-throttle.js';

/**
 * The integration with a limit of messages a minute for each receiver, which `receiverOf` names by the settings. A
 * message beyond it waits in the queue for its turn.
 */
export function inTurns<Settings extends object>(
  integration: Integration<Settings>,
  receiverOf: (settings: Settings) => string,
  now: () => Micros,
): Integration<Settings> {
  const throttle = createMessageThrottle();
  return {
    ...integration,
    deliver: async (delivery) => {
      const wait = throttle.take(receiverOf(delivery.settings), now());
      return wait === 0
        ? integration.deliver(delivery)
        : tooMany('Rate limit exceeded', Math.ceil(wait / 1000));
    },
  };
}
