/** How a connection comes to TLS: at once, or by STARTTLS in a protocol. */
export const protocols = ['tls', 'smtp', 'imap', 'pop3', 'ldap', 'postgres', 'mysql', 'xmpp', 'ftp'] as const;
export type Protocol = (typeof protocols)[number];

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
