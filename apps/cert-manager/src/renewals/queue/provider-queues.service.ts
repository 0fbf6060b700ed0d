import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { SecretUnreadable } from '@certloop/server';
import type { ProviderOpener } from '../../providers/open-provider.service.js';
import { listProviders, type ProviderRow } from '../../providers/providers.repository.js';

/** A provider, and why it cannot be asked now, in one sentence; undefined when it can. */
export interface ProviderQueue {
  readonly provider: ProviderRow;
  readonly obstacle: string | undefined;
}

/** Every provider as a queue of its own: what waits for one does not hold up what another could do. */
export async function listProviderQueues(tx: Tx, opener: ProviderOpener): Promise<ProviderQueue[]> {
  const rows = await listProviders(tx);
  return rows.map((provider) => ({ provider, obstacle: obstacleTo(opener, provider) }));
}

function obstacleTo(opener: ProviderOpener, provider: ProviderRow): string | undefined {
  try {
    opener.openForSigning(provider);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    if (error instanceof SecretUnreadable) return `a secret of provider ${provider.name} ${error.message}`;
    throw error;
  }
}
