import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Integration } from '../../integration.js';
import { priorityOf } from '../../settings-rules.js';
import type { NtfySettings } from './ntfy-kind.js';
import { ntfyMessage, ntfyNotice } from './ntfy-message.js';

/** A topic of an ntfy server. If the settings have no token, ntfy.sh, and no other server, gets the shared one. */
export const ntfyIntegration: CreateIntegration<NtfySettings> = ({
  sendToUser: send,
  senderAccounts: { ntfyToken },
  clock,
}) => {
  // by the JSON form, messages go to the root of the server
  const post = (settings: NtfySettings, message: object) => {
    const token = tokenOf(settings, ntfyToken);
    return send(jsonPost(settings.url, message, token === '' ? {} : { Authorization: `Bearer ${token}` }));
  };
  const integration: Integration<NtfySettings> = {
    shouldNotify: (settings, status) => priorityOf(settings, status) > 0,
    deliver: ({ settings, view }) => {
      const target = { topic: settings.topic, priority: priorityOf(settings, view.status) };
      return post(settings, ntfyMessage(view, target));
    },
    notify: ({ settings, notice }) => {
      const priority = priorityOf(settings, notice.status) || defaultPriority;
      return post(settings, ntfyNotice(notice, { topic: settings.topic, priority }));
    },
  };
  return limitRate(integration, ({ url, topic }) => `${url} ${topic}`, clock);
};

function tokenOf({ url, token }: NtfySettings, sharedToken = ''): string {
  return token === '' && new URL(url).origin === 'https://ntfy.sh' ? sharedToken : token;
}

/** Priority of a notice whose topic gets no alerts of its status. */
const defaultPriority = 3;
