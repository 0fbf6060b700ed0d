import type { AlertEvent } from '../alert-event.js';
import { type EventView, factText } from '../event-view.js';
import { type HttpMessage, jsonPost } from '../http-message.js';

/** Limits of the alert API, in characters. */
const longestMessage = 130;
const longestTag = 50;
const mostTags = 20;

/** Opens an alert named by the check when it falls, and closes it when it comes up. */
export function opsgenieMessage(
  { check }: AlertEvent,
  view: EventView,
  { apiUrl, key }: { readonly apiUrl: string; readonly key: string },
): HttpMessage {
  const alerts = `${apiUrl}/v2/alerts`;
  const headers = { Authorization: `GenieKey ${key}` };
  const alias = check.uniqueKey;
  if (view.status === 'up') {
    const closing = { source: view.siteName, note: `${view.sentence} Came up: ${view.moment}.` };
    return jsonPost(`${alerts}/${alias}/close?identifierType=alias`, closing, headers);
  }
  const details = view.facts.map((fact): [string, string] => [fact.label, factText(fact)]);
  if (view.body !== undefined) details.push(['Last Ping Body', view.body]);
  const alert = {
    alias,
    source: view.siteName,
    tags: check.tagList.slice(0, mostTags).map((tag) => tag.slice(0, longestTag)),
    message: view.title.slice(0, longestMessage),
    description: `${view.sentence}\n\n${view.link}`,
    details: Object.fromEntries(details),
  };
  return jsonPost(alerts, alert, headers);
}
