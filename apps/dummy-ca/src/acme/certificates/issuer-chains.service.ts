import { type AcmeReply, chainType, elementNumbered } from '@certloop/acme-server';
import { noSuch } from '@certloop/acme-server/rules';
import type { AcmeDeps } from '../acme-deps.service.js';

/** Certificates between leaf and root of one chain. */
export function showIssuer({ issuer }: AcmeDeps, chain: string): AcmeReply {
  const above = elementNumbered(issuer.chains, chain);
  if (above === undefined) throw noSuch('chain');
  return { status: 200, body: above.pem || above.rootPem, contentType: chainType };
}

/** Root of one chain, for trust stores. */
export function showRoot({ issuer }: AcmeDeps, chain: string): AcmeReply {
  const above = elementNumbered(issuer.chains, chain);
  if (above === undefined) throw noSuch('chain');
  return { status: 200, body: above.rootPem, contentType: 'application/x-pem-file' };
}
