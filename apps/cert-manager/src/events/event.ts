/** Types of events, by name. */
export const eventTypes = [
  'certificate.issued',
  'certificate.renewed',
  'certificate.adopted',
  'certificate.revoked',
  'certificate.failed',
  'certificate.expiring',
  'name.issued_elsewhere',
  'served.drifted',
  'served.in_service',
  'monitor.away',
  'monitor.back',
  'monitor.blind',
  'webhook.disabled',
  'disk.full',
] as const;
export type EventType = (typeof eventTypes)[number];

/** The receivers of all mail, or those of one route. */
export type MailDestination = 'mail' | `m${string}`;

/** A way in which people or programs are notified. */
export type Destination = MailDestination | 'webhook';

const ofOneDestination: Partial<Record<EventType, 'mail' | 'webhook'>> = {
  // nothing for people to do in time; a program installs it
  'certificate.issued': 'webhook',
  'certificate.renewed': 'webhook',
  'certificate.adopted': 'webhook',
  'served.in_service': 'webhook',
  'webhook.disabled': 'mail',
};

/** Returns the destinations that get events of the type. */
export function destinationsOf(type: EventType, destinations: readonly Destination[]): Destination[] {
  const only = ofOneDestination[type];
  const isMail = (destination: Destination) => destination !== 'webhook';
  return destinations.filter(
    (destination) => only === undefined || isMail(destination) === (only === 'mail'),
  );
}

/** Facts of an event as they go out; no PEM and no secret is among them. */
export type EventData = {
  /** The event in one English sentence or two, with what to do. */
  readonly message: string;
} & Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Something that people should know. */
export interface NewEvent {
  readonly type: EventType;
  /** Id of an FQDN, or the name of a service. Webhooks get the events of one subject in order. */
  readonly subject: string;
  readonly spaceId?: string;
  /** An event whose key is stored already is not recorded again. */
  readonly onceKey?: string;
  readonly data: EventData;
}

/** A stored event as it goes out. */
export interface OutgoingEvent extends Pick<NewEvent, 'type' | 'subject' | 'data'> {
  readonly id: string;
  readonly createdAt: Date;
}

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
