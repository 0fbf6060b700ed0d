import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import type { Integration } from '../../integration.js';
import type { AddressSettings } from '../../settings-rules.js';
import { googleChatMessage, googleChatNotice } from './google-chat-message.js';

/** A space of Google Chat, by an incoming webhook. */
export function createGoogleChat(send: SendHttp): Integration<AddressSettings> {
  return {
    shouldNotify: () => true,
    deliver: ({ settings, view }) => send(jsonPost(settings.url, googleChatMessage(view))),
    notify: ({ settings, notice }) => send(jsonPost(settings.url, googleChatNotice(notice))),
  };
}

export const googlechatIntegration: CreateIntegration<AddressSettings> = ({ sendToUser }) =>
  createGoogleChat(sendToUser);
