import { createLogger } from '@certloop/server';
import type { KeyChangeMoment } from '../../../src/acme/account-key.service.js';
import { createProviderOpener } from '../../../src/providers/open-provider.service.js';
import { createOutgoing } from '../../../src/providers/outgoing.client.js';
import { getProvider } from '../../../src/providers/providers.repository.js';
import type { TestApp } from '../app.js';

/** Changes the key of a provider's account in a process of its own, as it were, which `atKeyChange` may end. */
export async function changeAccountKey(
  app: TestApp,
  providerId: string,
  atKeyChange: (moment: KeyChangeMoment) => Promise<void> = async () => undefined,
): Promise<void> {
  const outgoing = createOutgoing({ trusted: [] });
  const opener = createProviderOpener({
    outgoing,
    db: app.database,
    clock: app.clock,
    logger: createLogger({ service: 'cert-manager', level: 'silent' }),
    keyRing: app.config.encryptionKeys,
    stopping: new AbortController().signal,
    pause: async () => undefined,
    atMoment: async () => undefined,
    atKeyChange,
  });
  const row = await app.database.read((tx) => getProvider(tx, providerId));
  try {
    await opener.open(row).changeAccountKey?.();
  } finally {
    await outgoing.close();
  }
}
