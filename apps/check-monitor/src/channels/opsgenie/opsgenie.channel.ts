import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import { opsgenieMessage } from './opsgenie-message.js';
import type { OpsgenieRegion, OpsgenieSettings } from './opsgenie-settings.js';

export interface OpsgenieDeps {
  readonly send: SendHttp;
  /** Address of the API by region. */
  readonly apiUrls: Readonly<Record<OpsgenieRegion, string>>;
}

/** A team of Opsgenie. */
export function createOpsgenie({ send, apiUrls }: OpsgenieDeps): Integration<OpsgenieSettings> {
  return {
    kind: 'opsgenie',
    tells: () => true,
    deliver: ({ settings: { key, region }, event, view, isTest }) =>
      send(opsgenieMessage(event, view, { apiUrl: apiUrls[region], key }), { isOnce: isTest }),
  };
}
