import type { ProviderKind } from '../provider-kind.js';
import { dummyCaConfigSchema } from './dummy-ca-config.js';

export const dummyCa: ProviderKind = {
  name: 'dummy-ca',
  displayName: 'Dummy certificate authority',
  description: 'Signs CSRs at once, for tests and for closed networks.',
  schema: dummyCaConfigSchema,
  secrets: [],
  addressKey: 'baseUrl',
  addressPaths: ['baseUrl'],
  addressSetting: 'dummyCaUrl',
  issuance: 'direct',
  givesAdvice: false,
  fromAddress: (baseUrl) => dummyCaConfigSchema.parse({ baseUrl }),
};
