import type { Request, Response } from 'express';

const text = `This certificate is renewed by the ACME client that ordered it.

renewalInfo says when: within the window that CertLoop's scheduler would choose, or that its CA asks for. If the
window is in the past, the certificate was revoked or its key is compromised, and the client must order a new one now.

If a client does not come back in time, CertLoop reports it to the people who watch the name.
`;

/** Page for people to which renewalInfo points (RFC 9773 §4.2); it names no space and no FQDN. */
export function showRenewalPage(_: Request, response: Response): void {
  response.type('text/plain').send(text);
}
