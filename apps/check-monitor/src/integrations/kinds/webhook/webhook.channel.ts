import type { CreateIntegration } from '../../create-integration.channel.js';
import { delivered } from '../../delivery/delivery-result.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { WebhookSettings } from './webhook-kind.js';
import { webhookMessage } from './webhook-message.js';

/** Calls an address of the user's choice. */
export function createWebhook(send: SendHttp): Integration<WebhookSettings> {
  return {
    shouldNotify: (settings, status) => settings[status] !== null,
    deliver: async ({ settings, event }) => {
      const call = settings[event.status];
      return call === null ? delivered : send(webhookMessage(call, event));
    },
  };
}

export const webhookIntegration: CreateIntegration<WebhookSettings> = ({ sendToUser }) =>
  createWebhook(sendToUser);
