import type { ProviderKindName } from '@certloop/contracts';
import type { z } from 'zod';
import type { Config } from './changes/stored-config.js';

/** A secret of a configuration, by its dotted path. */
export interface ProviderSecret {
  readonly path: string;
  /** Path of the address that receives the secret, or what is computed with it. */
  readonly sentTo: string;
}

/** Fixed properties of a provider: its words for people, the rules of its configuration, its addresses. */
export interface ProviderKind {
  readonly name: ProviderKindName;
  readonly displayName: string;
  readonly description: string;
  readonly schema: z.ZodType<Config>;
  /** Values that are written but never shown. */
  readonly secrets: readonly ProviderSecret[];
  /** Key that holds the address of the service. */
  readonly addressKey: 'baseUrl' | 'directoryUrl';
  /** Dotted paths of every address that is called, and of every list of them. */
  readonly addressPaths: readonly string[];
  /** Setting of the service that configures the first provider of the kind; absent if there is none. */
  readonly addressSetting?: 'dummyCaUrl' | 'acmeDirectoryUrl';
  /** `direct`: a call to sign is answered with the certificate. `order`: the CA wants names proven first (RFC 8555). */
  readonly issuance: 'direct' | 'order';
  /** Whether such a CA may say when it wants a certificate renewed (RFC 9773). */
  readonly givesAdvice: boolean;
  /** Certificates for the same names that ACME clients may have in a week, as public CAs limit them; absent without a limit. */
  readonly maxPerNamesPerWeek?: number;
  /** Configuration that an address alone, set by the operator, stands for. */
  fromAddress(address: string): Config;
}
