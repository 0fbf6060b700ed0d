import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { AddressSettings } from '../../settings-rules.js';
import { googleChatMessage, googleChatNotice } from './google-chat-message.js';

/** A space of Google Chat, by an incoming webhook. */
export const googlechatIntegration: CreateIntegration<AddressSettings> = ({ sendToUser: send }) => ({
  shouldNotify: () => true,
  deliver: ({ settings, view }) => send(jsonPost(settings.url, googleChatMessage(view))),
  notify: ({ settings, notice }) => send(jsonPost(settings.url, googleChatNotice(notice))),
});
