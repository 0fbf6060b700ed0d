import { type HttpMessage, jsonPost } from '../../delivery/http-message.js';
import type { AlertEvent } from '../../messages/alert-event.js';
import type { EventView } from '../../messages/event-view.js';
import { incidentDetails } from '../../messages/incident-details.js';

/** Limits of the alert API, in characters. */
const maxMessageLength = 130;
const maxDescriptionLength = 15_000;
const maxTagLength = 50;
const maxTags = 20;

/** Opens an alert named by the check when it falls, and closes it when it comes up. */
export function opsgenieMessage(
  event: AlertEvent,
  view: EventView,
  { apiUrl, key }: { readonly apiUrl: string; readonly key: string },
): HttpMessage {
  const { check } = event;
  const alerts = `${apiUrl}/v2/alerts`;
  const headers = { Authorization: `GenieKey ${key}` };
  const alias = check.uniqueKey;
  if (view.status === 'up') {
    const note = `${view.sentence} Came up: ${view.moment}. ${view.link}`;
    const closing = { alias, source: view.siteName, note };
    return jsonPost(`${alerts}/${alias}/close?identifierType=alias`, closing, headers);
  }
  const alert = {
    alias,
    source: view.siteName,
    tags: check.tagList.slice(0, maxTags).map((tag) => tag.slice(0, maxTagLength)),
    message: messageOf(view).slice(0, maxMessageLength),
    description: check.description.slice(0, maxDescriptionLength),
    details: {
      ...incidentDetails(event, view, (text) => `<code>${text}</code>`),
      'Full details': view.link,
    },
  };
  return jsonPost(alerts, alert, headers);
}

function messageOf({ name, reason }: EventView): string {
  return `The check "${name}" is DOWN${reason === '' ? '' : ` (${reason})`}.`;
}
