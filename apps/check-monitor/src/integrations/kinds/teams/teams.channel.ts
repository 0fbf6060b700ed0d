import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { AddressSettings } from '../../settings-rules.js';
import { teamsMessage, teamsNotice } from './teams-message.js';

/** A workflow of Microsoft Teams that posts what it is sent. */
export function createTeams(send: SendHttp): Integration<AddressSettings> {
  return {
    shouldNotify: () => true,
    deliver: ({ settings, view }) => send(jsonPost(settings.url, teamsMessage(view))),
    notify: ({ settings, notice }) => send(jsonPost(settings.url, teamsNotice(notice))),
  };
}

export const msteamswIntegration: CreateIntegration<AddressSettings> = ({ sendToUser }) =>
  createTeams(sendToUser);
