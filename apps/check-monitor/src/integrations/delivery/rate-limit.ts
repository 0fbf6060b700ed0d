import { type Clock, microsPerSecond } from '../../instants.js';
import type { Integration } from '../integration.js';
import { type DeliveryResult, tooMany } from './delivery-result.js';
import { createSlidingLimit } from './sliding-limit.js';

/** The limit of Healthchecks. Telegram takes 20 messages a minute into a group at most, from all that the bot does. */
const maxPerMinute = 6;

/**
 * The integration with a limit of messages a minute for each receiver, which `receiverOf` names by the settings. A
 * message beyond it waits in the queue for its turn. Each process counts alone: a shared count would cost a write and a
 * lock of the receiver for each message.
 */
export function limitRate<Settings extends object>(
  integration: Integration<Settings>,
  receiverOf: (settings: Settings) => string,
  clock: Clock,
): Integration<Settings> {
  const limit = createSlidingLimit(maxPerMinute, 60 * microsPerSecond);
  const limited = async (
    settings: Settings,
    send: () => Promise<DeliveryResult>,
  ): Promise<DeliveryResult> => {
    const wait = limit.take(receiverOf(settings), clock.now());
    return wait === 0 ? send() : tooMany('Rate limit exceeded', Math.ceil(wait / 1000));
  };
  const { notify } = integration;
  return {
    ...integration,
    deliver: (delivery) => limited(delivery.settings, () => integration.deliver(delivery)),
    ...(notify && { notify: (delivery) => limited(delivery.settings, () => notify(delivery)) }),
  };
}
