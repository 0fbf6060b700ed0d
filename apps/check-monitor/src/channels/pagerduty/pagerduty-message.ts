import type { AlertEvent } from '../alert-event.js';
import { type EventView, factText } from '../event-view.js';

/** Event of PagerDuty's generic API (2010-04-15): the check is the incident, opened when it falls. */
export function pagerDutyMessage({ check }: AlertEvent, view: EventView, serviceKey: string): object {
  const details = view.facts.map((fact): [string, string] => [fact.label, factText(fact)]);
  if (view.body !== undefined) details.push(['Last Ping Body', view.body]);
  return {
    service_key: serviceKey,
    incident_key: check.uniqueKey,
    event_type: view.status === 'up' ? 'resolve' : 'trigger',
    description: view.explanation === '' ? view.title : `${view.title} (${view.explanation})`,
    client: view.siteName,
    client_url: view.link,
    details: Object.fromEntries(details),
  };
}
