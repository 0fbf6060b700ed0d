import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, undelivered } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonAnswer } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { OpsgenieRegion, OpsgenieSettings } from './opsgenie-kind.js';
import { opsgenieMessage } from './opsgenie-message.js';

export interface OpsgenieDeps {
  readonly send: SendHttp;
  /** Address of the API by region. */
  readonly apiUrls: Readonly<Record<OpsgenieRegion, string>>;
}

/** A team of Opsgenie. */
export function createOpsgenie({ send, apiUrls }: OpsgenieDeps): Integration<OpsgenieSettings> {
  return {
    shouldNotify: () => true,
    deliver: ({ settings: { key, region }, event, view }) =>
      send(opsgenieMessage(event, view, { apiUrl: apiUrls[region], key }), { judge: judgeAnswer }),
  };
}

/** Returns the result that the API gives a reason for. A server that fails is answered for by its status alone. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const { message } = jsonAnswer(answer);
  if (typeof message !== 'string' || answer.status >= 500 || answer.status === 429) return undefined;
  return undelivered(`Received status code ${answer.status} with a message: "${message.slice(0, 200)}"`);
}

export const opsgenieIntegration: CreateIntegration<OpsgenieSettings> = ({ sendToService: send, services }) =>
  createOpsgenie({ send, apiUrls: services.opsgenie });
