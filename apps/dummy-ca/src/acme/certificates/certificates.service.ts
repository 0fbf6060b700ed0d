import { type AcmeReply, accountOf } from '@certloop/acme-server';
import { link, noSuch } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { IssuerChain } from '../issuance/acme-issuer.service.js';

const chainType = 'application/pem-certificate-chain';

/**
 * Certificate with the chain of the given number, leaf first, the root omitted, with links to the other chains
 * (RFC 8555 §7.4.2). Throws `malformed` with status 404 if there is none, `unauthorized` for another account.
 */
export async function downloadCertificate(
  { store, issuer }: AcmeDeps,
  request: AcmeRequest,
  { id, chain = '0' }: { readonly id: string; readonly chain?: string | undefined },
): Promise<AcmeReply> {
  const certificate = store.findCertificate(id);
  const above = chainNumbered(issuer.chains, chain);
  if (certificate === undefined || above === undefined) throw noSuch('certificate');
  if (certificate.accountId !== accountOf(request).id) {
    throw new AcmeProblem('unauthorized', 'the certificate belongs to another account');
  }
  const addresses = issuer.chains.map((_, number) =>
    number === 0
      ? request.links.of('certificate', { id })
      : request.links.of('alternateChain', { id, chain: String(number) }),
  );
  return {
    status: 200,
    body: `${certificate.leafPem}${above.pem}`,
    contentType: chainType,
    // No link "up", which is for formats of a single certificate: acmez (caddy) appends what is there to the chain, and
    // asks for renewal information of it for twelve seconds.
    links: addresses.filter((_, number) => String(number) !== chain).map((each) => link(each, 'alternate')),
  };
}

/** Certificates between leaf and root of one chain. */
export function showIssuer({ issuer }: AcmeDeps, chain: string): AcmeReply {
  const above = chainNumbered(issuer.chains, chain);
  if (above === undefined) throw noSuch('chain');
  return { status: 200, body: above.pem || above.rootPem, contentType: chainType };
}

/** Root of one chain, for trust stores. */
export function showRoot({ issuer }: AcmeDeps, chain: string): AcmeReply {
  const above = chainNumbered(issuer.chains, chain);
  if (above === undefined) throw noSuch('chain');
  return { status: 200, body: above.rootPem, contentType: 'application/x-pem-file' };
}

function chainNumbered(chains: readonly IssuerChain[], number: string): IssuerChain | undefined {
  return /^\d$/.test(number) ? chains[Number(number)] : undefined;
}
