import { createKeyedLimiter } from '@certloop/server';
import type { CreateKindOpener } from '../kind-opener.provider.js';
import { createMemories } from '../memories.js';
import { createAcmeProvider } from './acme.provider.js';
import { acmeConfigSchema } from './acme-config.js';
import { createAcmeMemory } from './acme-parts.service.js';

export const createAcmeOpener: CreateKindOpener = (deps) => {
  const limitByName = createKeyedLimiter(1);
  const memoryOf = createMemories(() => createAcmeMemory(limitByName));
  return ({ id: providerId }, given) => {
    const config = acmeConfigSchema.parse(given);
    // nonces of one CA are nothing to another
    const memory = memoryOf(`${providerId} ${config.directoryUrl}`);
    return createAcmeProvider(config, { ...deps, providerId, memory });
  };
};
