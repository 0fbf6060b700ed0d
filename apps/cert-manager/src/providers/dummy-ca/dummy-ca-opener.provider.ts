import type { CreateKindOpener } from '../kind-opener.provider.js';
import { createMemories } from '../memories.js';
import { createDummyCaMemory, createDummyCaProvider } from './dummy-ca.provider.js';
import { dummyCaConfigSchema } from './dummy-ca-config.js';

export const createDummyCaOpener: CreateKindOpener = (deps) => {
  const memoryOf = createMemories(createDummyCaMemory);
  return ({ id }, config) =>
    createDummyCaProvider(dummyCaConfigSchema.parse(config), { ...deps, memory: memoryOf(id) });
};
