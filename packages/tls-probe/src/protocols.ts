import type { targetProtocols } from '@certloop/contracts';

/** How a connection comes to TLS: at once, or by STARTTLS in a protocol. */
export { targetProtocols as protocols } from '@certloop/contracts';
export type Protocol = (typeof targetProtocols)[number];

/** Port at which each protocol is served in plain text at first; that of HTTPS for TLS. */
export const usualPorts: Readonly<Record<Protocol, number>> = {
  tls: 443,
  smtp: 587,
  imap: 143,
  pop3: 110,
  ldap: 389,
  postgres: 5432,
  mysql: 3306,
  xmpp: 5222,
  ftp: 21,
};
