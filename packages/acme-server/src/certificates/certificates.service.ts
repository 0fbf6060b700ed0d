import { AcmeProblem } from '@certloop/contracts';
import type { AcmePorts, AcmeRecords } from '../ports.js';
import { link } from '../protocol/acme-links.js';
import type { AcmeReply } from '../protocol/acme-reply.js';
import { noSuch } from '../protocol/problems.js';
import type { SignedRequest } from '../protocol/signed-request.js';
import { accountOf } from '../protocol/signed-requests.service.js';

/** Media type of a chain (RFC 8555 §9.1). */
export const chainType = 'application/pem-certificate-chain';

/**
 * Certificate with the chain of the given number, leaf first, with links to the other chains
 * (RFC 8555 §7.4.2). Throws `malformed` with status 404 if there is none, `unauthorized` for another account.
 */
export async function downloadCertificate<T extends AcmeRecords>(
  ports: AcmePorts<T>,
  request: SignedRequest<T['account']>,
  { id, chain = '0' }: { readonly id: string; readonly chain?: string | undefined },
): Promise<AcmeReply> {
  const certificate = await ports.store.findCertificate(request, id);
  const chains = certificate === undefined ? [] : await ports.chainsOf(certificate);
  const above = elementNumbered(chains, chain);
  if (certificate === undefined || above === undefined) throw noSuch('certificate');
  if (certificate.accountId !== accountOf(request).id) {
    throw new AcmeProblem('unauthorized', 'the certificate belongs to another account');
  }
  const addresses = chains.map((_, number) =>
    number === 0
      ? request.links.of('certificate', { id })
      : request.links.of('alternateChain', { id, chain: String(number) }),
  );
  return {
    status: 200,
    body: `${certificate.leafPem}${above}`,
    contentType: chainType,
    // No link "up", which is for formats of a single certificate: acmez (caddy) appends what is there to the chain, and
    // asks for renewal information of it for twelve seconds.
    links: addresses.filter((_, number) => String(number) !== chain).map((each) => link(each, 'alternate')),
  };
}

/** Returns the element of a number in an address; undefined if there is none. */
export function elementNumbered<T>(elements: readonly T[], number: string): T | undefined {
  return /^\d$/.test(number) ? elements[Number(number)] : undefined;
}
