import type { CreateIntegration } from '../../create-integration.channel.js';
import { jsonPost } from '../../delivery/http-message.js';
import { priorityOf } from '../../settings-rules.js';
import type { GotifySettings } from './gotify-kind.js';
import { gotifyMessage, gotifyNotice } from './gotify-message.js';

/** An application of a Gotify server. */
export const gotifyIntegration: CreateIntegration<GotifySettings> = ({ sendToUser: send }) => ({
  shouldNotify: (settings, status) => priorityOf(settings, status) !== 0,
  deliver: ({ settings, view }) =>
    send(jsonPost(addressOf(settings), gotifyMessage(view, priorityOf(settings, view.status)))),
  notify: ({ settings, notice }) =>
    send(jsonPost(addressOf(settings), gotifyNotice(notice, priorityOf(settings, notice.status)))),
});

function addressOf({ url, token }: GotifySettings): string {
  const target = new URL(`${url.replace(/\/+$/, '')}/message`);
  target.searchParams.set('token', token);
  return target.href;
}
