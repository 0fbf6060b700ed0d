import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { PagerDutySettings } from './pagerduty-kind.js';
import { pagerDutyMessage } from './pagerduty-message.js';

/** A service of PagerDuty. */
export const pdIntegration: CreateIntegration<PagerDutySettings> = ({ sendToService, services }) => ({
  shouldNotify: () => true,
  deliver: ({ settings, event, view }) => {
    const url = `${services.pagerDuty}/generic/2010-04-15/create_event.json`;
    return sendToService(jsonPost(url, pagerDutyMessage(event, view, settings.serviceKey)));
  },
});
