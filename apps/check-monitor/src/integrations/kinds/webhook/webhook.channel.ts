import type { CreateIntegration } from '../../create-integration.channel.js';
import { delivered, undelivered } from '../../delivery/delivery-result.js';
import { FilledTooLong, maxFilledLength } from './placeholders.js';
import type { WebhookSettings } from './webhook-kind.js';
import { webhookMessage } from './webhook-message.js';

/** Calls an address of the user's choice. */
export const webhookIntegration: CreateIntegration<WebhookSettings> = ({ sendToUser: send }) => ({
  shouldNotify: (settings, status) => settings[status] !== null,
  deliver: async ({ settings, event }) => {
    const call = settings[event.status];
    if (call === null) return delivered;
    try {
      return await send(webhookMessage(call, event));
    } catch (error) {
      if (!(error instanceof FilledTooLong)) throw error;
      return undelivered(
        `With its placeholders filled, the message is longer than ${maxFilledLength} characters`,
      );
    }
  },
});
