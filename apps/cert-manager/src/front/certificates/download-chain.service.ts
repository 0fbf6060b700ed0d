import { AppError } from '@certloop/contracts';
import { certificateLabel, formatPem, parsePemBlocks } from '@certloop/crypto';
import { findProvider } from '../../providers/providers.repository.js';
import type { FrontDeps } from '../front-deps.service.js';
import type { FrontCertificate } from '../front-records.service.js';

/**
 * The certificates after the leaf, as PEM. If none was stored, the root of the provider follows: certbot refuses a chain of
 * fewer than two.
 */
export async function chainAfterLeaf(
  { db, opener, logger }: Pick<FrontDeps, 'db' | 'opener' | 'logger'>,
  { stored }: FrontCertificate,
): Promise<string> {
  const others = parsePemBlocks(stored.pem).slice(1);
  if (others.length > 0) return others.map(({ der }) => formatPem(certificateLabel, der)).join('');
  const { providerId } = stored;
  const provider = providerId === null ? undefined : await db.read((tx) => findProvider(tx, providerId));
  if (provider === undefined) return '';
  try {
    return (await opener.open(provider).readRoot?.()) ?? '';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    logger.warn({ provider: provider.name, reason: error.message }, 'acme_front.root_unread');
    return '';
  }
}
