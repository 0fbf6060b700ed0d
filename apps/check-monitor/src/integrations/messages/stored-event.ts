import type { AlertEvent } from './alert-event.js';

/** An event as it is stored with a message whose next try must be the same request. */
export function storedEvent(event: AlertEvent): string {
  const { lastPing } = event;
  const body = lastPing?.body == null ? null : lastPing.body.toString('base64');
  return JSON.stringify({ ...event, lastPing: lastPing && { ...lastPing, body } });
}

/** The event of `storedEvent`. */
export function readStoredEvent(text: string): AlertEvent {
  const event = JSON.parse(text) as AlertEvent & {
    readonly lastPing: { readonly body: string | null } | null;
  };
  const { lastPing } = event;
  const body = lastPing?.body == null ? null : Buffer.from(lastPing.body, 'base64');
  return { ...event, lastPing: lastPing && { ...lastPing, body } };
}
