import type { AlertStatus } from '../alert-event.js';
import { jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import { ntfyMessage } from './ntfy-message.js';
import type { NtfySettings } from './ntfy-settings.js';

/** A topic of an ntfy server. `sharedToken` is sent to ntfy.sh, to which it belongs, where the settings name none. */
export function createNtfy(send: SendHttp, sharedToken: string | undefined): Integration<NtfySettings> {
  return {
    kind: 'ntfy',
    tells: (settings, status) => priorityOf(settings, status) > 0,
    deliver: ({ settings, view, isTest }) => {
      const { topic, url } = settings;
      const token = tokenOf(settings, sharedToken);
      const message = ntfyMessage(view, { topic, priority: priorityOf(settings, view.status) });
      const headers: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
      // by the JSON form, messages go to the root of the server
      return send(jsonPost(url, message, headers), { isOnce: isTest });
    },
  };
}

function tokenOf({ url, token }: NtfySettings, sharedToken = ''): string {
  return token === '' && new URL(url).origin === 'https://ntfy.sh' ? sharedToken : token;
}

function priorityOf({ priorityDown, priorityUp }: NtfySettings, status: AlertStatus): number {
  return status === 'up' ? priorityUp : priorityDown;
}
