import type { PingTarget } from '../ping-address.js';

/** Why a mail address is refused, in the words of clients of this API family. */
export type MailRefusal = 'Recipient rejected' | 'Invalid mailbox';

// only random uuids (RFC 9562 §5.4) are mailboxes
const byUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const bySlug = /^([A-Za-z0-9_-]{22})\+([a-z0-9_-]+)$/;

/** Check that a mail address names: `<uuid>@<domain>` or `<ping key>+<slug>@<domain>`; or why it names none. */
export function parseMailAddress(address: string, domain: string): PingTarget | MailRefusal {
  const at = address.lastIndexOf('@');
  if (at < 0 || address.slice(at + 1).toLowerCase() !== domain.toLowerCase()) return 'Recipient rejected';
  const mailbox = address.slice(0, at);
  if (byUuid.test(mailbox)) return { kind: 'uuid', uuid: mailbox.toLowerCase() };
  const [, pingKey, slug] = bySlug.exec(mailbox) ?? [];
  if (pingKey === undefined || slug === undefined) return 'Invalid mailbox';
  return { kind: 'slug', pingKey, slug, create: false };
}
