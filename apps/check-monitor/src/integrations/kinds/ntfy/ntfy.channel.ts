import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Integration } from '../../integration.js';
import type { AlertStatus } from '../../messages/alert-event.js';
import type { NtfySettings } from './ntfy-kind.js';
import { ntfyMessage, ntfyNotice } from './ntfy-message.js';

/** A topic of an ntfy server. If the settings have no token, ntfy.sh, and no other server, gets `sharedToken`. */
export function createNtfy(send: SendHttp, sharedToken: string | undefined): Integration<NtfySettings> {
  return {
    shouldNotify: (settings, status) => priorityOf(settings, status) > 0,
    deliver: ({ settings, view }) => {
      const { topic, url } = settings;
      const token = tokenOf(settings, sharedToken);
      const message = ntfyMessage(view, { topic, priority: priorityOf(settings, view.status) });
      const headers: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
      // by the JSON form, messages go to the root of the server
      return send(jsonPost(url, message, headers));
    },
    notify: ({ settings, notice }) => {
      const { topic, url } = settings;
      const token = tokenOf(settings, sharedToken);
      const priority = priorityOf(settings, notice.status) || defaultPriority;
      const headers: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
      return send(jsonPost(url, ntfyNotice(notice, { topic, priority }), headers));
    },
  };
}

function tokenOf({ url, token }: NtfySettings, sharedToken = ''): string {
  return token === '' && new URL(url).origin === 'https://ntfy.sh' ? sharedToken : token;
}

/** Priority of a notice whose topic gets no alerts of its status. */
const defaultPriority = 3;

function priorityOf({ priorityDown, priorityUp }: NtfySettings, status: AlertStatus): number {
  return status === 'up' ? priorityUp : priorityDown;
}

export const ntfyIntegration: CreateIntegration<NtfySettings> = ({ sendToUser, senderAccounts, clock }) =>
  limitRate(createNtfy(sendToUser, senderAccounts.ntfyToken), ({ url, topic }) => `${url} ${topic}`, clock);
