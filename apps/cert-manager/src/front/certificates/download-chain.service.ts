import { AppError } from '@certloop/contracts';
import { certificateLabel, formatPem, parsePemBlocks } from '@certloop/crypto';
import type { FrontDeps } from '../front-deps.service.js';
import type { FrontCertificate } from '../front-records.service.js';

/**
 * The certificates after the leaf, as PEM. If none was stored, the root of the provider follows: certbot refuses a chain of
 * fewer than two.
 */
export async function chainAfterLeaf(
  { opener, logger }: Pick<FrontDeps, 'opener' | 'logger'>,
  { stored, rootProvider: provider }: FrontCertificate,
): Promise<string> {
  const others = chainOf(stored.pem);
  if (others.length > 0) return others.map(({ der }) => formatPem(certificateLabel, der)).join('');
  if (provider === undefined) return '';
  try {
    return (await opener.open(provider).readRoot?.()) ?? '';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    logger.warn({ provider: provider.name, reason: error.message }, 'acme_front.root_unread');
    return '';
  }
}

/** Whether the text has certificates after the leaf. */
export function hasChain(pem: string): boolean {
  return chainOf(pem).length > 0;
}

function chainOf(pem: string) {
  return parsePemBlocks(pem).slice(1);
}
