import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, undelivered } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonAnswer } from '../../delivery/http-message.js';
import type { OpsgenieSettings } from './opsgenie-kind.js';
import { opsgenieMessage } from './opsgenie-message.js';

/** A team of Opsgenie. */
export const opsgenieIntegration: CreateIntegration<OpsgenieSettings> = ({ sendToService, services }) => ({
  shouldNotify: () => true,
  deliver: ({ settings: { key, region }, event, view }) => {
    const message = opsgenieMessage(event, view, { apiUrl: services.opsgenie[region], key });
    return sendToService(message, { judge: judgeAnswer });
  },
});

/** Returns the result that the API gives a reason for. A server that fails is answered for by its status alone. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const { message } = jsonAnswer(answer);
  if (typeof message !== 'string' || answer.status >= 500 || answer.status === 429) return undefined;
  return undelivered(`Received status code ${answer.status} with a message: "${message.slice(0, 200)}"`);
}
