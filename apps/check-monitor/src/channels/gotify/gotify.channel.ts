import type { AlertStatus } from '../alert-event.js';
import { jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Integration } from '../integration.js';
import { gotifyMessage } from './gotify-message.js';
import type { GotifySettings } from './gotify-settings.js';

/** An application of a Gotify server. */
export function createGotify(send: SendHttp): Integration<GotifySettings> {
  return {
    kind: 'gotify',
    tells: (settings, status) => priorityOf(settings, status) !== 0,
    deliver: ({ settings, view, isTest }) => {
      const { url, token } = settings;
      const target = new URL(`${url.replace(/\/+$/, '')}/message`);
      target.searchParams.set('token', token);
      const priority = priorityOf(settings, view.status);
      return send(jsonPost(target.href, gotifyMessage(view, priority)), { isOnce: isTest });
    },
  };
}

function priorityOf({ priorityDown, priorityUp }: GotifySettings, status: AlertStatus): number | null {
  return status === 'up' ? priorityUp : priorityDown;
}
