import type { AlertEvent } from '../../messages/alert-event.js';
import type { EventView } from '../../messages/event-view.js';
import { incidentDetails } from '../../messages/incident-details.js';

/** Event of PagerDuty's generic API (2010-04-15): the check is the incident, opened when it falls. */
export function pagerDutyMessage(event: AlertEvent, view: EventView, serviceKey: string): object {
  return {
    service_key: serviceKey,
    incident_key: event.check.uniqueKey,
    event_type: view.status === 'up' ? 'resolve' : 'trigger',
    description: descriptionOf(view),
    client: view.siteName,
    client_url: view.link,
    details: incidentDetails(event, view),
  };
}

function descriptionOf({ name, status, statusWord, reason }: EventView): string {
  if (status === 'up') return `${name} received a ping and is now UP`;
  return `${name} is ${statusWord}${reason === '' ? '' : ` (${reason})`}.`;
}
