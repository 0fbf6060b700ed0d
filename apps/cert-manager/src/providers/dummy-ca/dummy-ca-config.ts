import { z } from 'zod';
import { rootCertificate } from '../../judging/root-certificate.js';
import { orDefault, orNothing, serviceAddress, wholeNumber } from '../changes/config-rules.js';

/** Configuration of a dummy CA. */
export const dummyCaConfigSchema = z.strictObject({
  baseUrl: serviceAddress,
  validityDays: orDefault(wholeNumber(1, 825), 365),
  timeoutMs: orDefault(wholeNumber(1, 60_000), 10_000),
  /** Requests to the CA that may run at the same time. */
  maxConcurrency: orDefault(wholeNumber(1, 64), 4),
  /** Whether baseUrl may lead to a private or loopback address. */
  allowPrivateNetwork: orDefault(z.boolean(), false),
  /** The only root that is accepted; without it, whatever root the CA shows. */
  rootPem: orNothing(rootCertificate),
});
export type DummyCaConfig = z.output<typeof dummyCaConfigSchema>;
