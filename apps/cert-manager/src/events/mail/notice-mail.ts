import type { EventType, OutgoingEvent } from '../event.js';

/** Content of one mail: the first events, and how many there are of each type. */
export interface MailContent {
  readonly events: readonly OutgoingEvent[];
  readonly counts: readonly { readonly type: EventType; readonly count: number }[];
}

/** How many events a mail names; it counts the others. */
export const maxEventsInMail = 50;

const headings: Readonly<Record<EventType, string>> = {
  'certificate.issued': 'Certificates that were issued',
  'certificate.renewed': 'Certificates that were renewed',
  'certificate.adopted': 'Certificates that were adopted from servers',
  'certificate.revoked': 'Certificates that were revoked',
  'certificate.failed': 'Renewals that fail',
  'certificate.expiring': 'Certificates that expire soon',
  'name.issued_elsewhere': 'Names that another space was issued a certificate for',
  'served.drifted': 'FQDNs that are not served as they should be',
  'served.in_service': 'Certificates that are in service',
  'monitor.away': 'The monitor does not answer',
  'monitor.back': 'The monitor works again',
  'monitor.blind': 'The monitor raises no alerts',
  'webhook.disabled': 'The webhook is switched off',
  'disk.full': 'The disk of cert-manager is full',
};

/** Subject and text of the mail; a single event has its own subject. */
export function noticeMail({ events, counts }: MailContent): {
  readonly subject: string;
  readonly text: string;
} {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const [first] = events;
  const lines = events.map(lineOf);
  if (first !== undefined && total === 1)
    return { subject: subjectOf(first), text: `${lines.join('\n\n')}\n` };
  const summary = counts.map(({ type, count }) => `${headings[type]}: ${count}`);
  const more = total > events.length ? [`${total - events.length} more events are not listed here.`] : [];
  return {
    subject: `[CertLoop] ${total} events`,
    text: `${[summary.join('\n'), ...lines, ...more].join('\n\n')}\n`,
  };
}

function subjectOf({ type, data }: OutgoingEvent): string {
  const { fqdn } = data;
  return `[CertLoop] ${headings[type]}${typeof fqdn === 'string' ? `: ${fqdn}` : ''}`;
}

function lineOf({ createdAt, data: { message, owner, tags } }: OutgoingEvent): string {
  const labels = [
    ...(owner === undefined ? [] : [`Owner: ${owner}.`]),
    ...(Array.isArray(tags) ? [`Tags: ${tags.join(', ')}.`] : []),
  ];
  return [`${createdAt.toISOString()}  ${message}`, ...labels].join(' ');
}
