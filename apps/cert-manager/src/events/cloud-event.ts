import type { OutgoingEvent } from './event.js';

/** Body of a webhook: CloudEvents 1.0 in its JSON format. `source` is the address of this service. */
export function cloudEventOf({ id, type, subject, data, createdAt }: OutgoingEvent, source: string): string {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source,
    type,
    subject,
    time: createdAt.toISOString(),
    datacontenttype: 'application/json',
    data,
  });
}
