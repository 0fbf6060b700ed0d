import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { AddressSettings } from '../../settings-rules.js';
import { teamsMessage, teamsNotice } from './teams-message.js';

/** A workflow of Microsoft Teams that posts what it is sent. */
export const msteamswIntegration: CreateIntegration<AddressSettings> = ({ sendToUser: send }) => ({
  shouldNotify: () => true,
  deliver: ({ settings, view }) => send(jsonPost(settings.url, teamsMessage(view))),
  notify: ({ settings, notice }) => send(jsonPost(settings.url, teamsNotice(notice))),
});
