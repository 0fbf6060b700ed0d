import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { PagerDutySettings } from './pagerduty-kind.js';
import { pagerDutyMessage } from './pagerduty-message.js';

export interface PagerDutyDeps {
  readonly send: SendHttp;
  /** Address of the events API. */
  readonly apiUrl: string;
}

/** A service of PagerDuty. */
export function createPagerDuty({ send, apiUrl }: PagerDutyDeps): Integration<PagerDutySettings> {
  return {
    shouldNotify: () => true,
    deliver: ({ settings, event, view }) =>
      send(
        jsonPost(
          `${apiUrl}/generic/2010-04-15/create_event.json`,
          pagerDutyMessage(event, view, settings.serviceKey),
        ),
      ),
  };
}

export const pdIntegration: CreateIntegration<PagerDutySettings> = ({ sendToService: send, services }) =>
  createPagerDuty({ send, apiUrl: services.pagerDuty });
