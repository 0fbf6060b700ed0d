import type { Clock, Logger } from '@certloop/server';
import type { CaCounts } from '../authority/ca-counts.service.js';
import type { CertificatesStore } from '../authority/certificates.store.js';
import type { State } from '../authority/state.store.js';
import type { StatusDeps } from '../status/status-deps.service.js';
import type { AcmeDeps } from './acme-deps.service.js';
import type { AcmeSettings } from './acme-settings.js';
import { resumeValidations } from './authorizations/challenges.service.js';
import { createFaultsStore, type FaultsOptions } from './faults/faults.store.js';
import type { AcmeIssuer } from './issuance/acme-issuer.service.js';
import { createNonces } from './protocol/nonces.service.js';
import { createAcmeStore } from './records/acme.store.js';
import { createValidation } from './validation/validate-challenge.client.js';
import type { ValidationSettings } from './validation/validation-settings.js';

export interface AcmeOptions {
  readonly issuer: AcmeIssuer;
  readonly settings: AcmeSettings;
  readonly validation: ValidationSettings;
  readonly faults: Omit<FaultsOptions, 'validationMode' | 'onStrike'>;
  /** Limit on accounts, orders, certificates and nonces in memory, each. */
  readonly maxRecords: number;
  readonly certificates: CertificatesStore;
  readonly counts: CaCounts;
  readonly status: StatusDeps;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly state: State;
}

/** An ACME server that remembers what the state has. */
export function createAcme(options: AcmeOptions): AcmeDeps {
  const { issuer, settings, validation, maxRecords, clock, logger } = options;
  const store = createAcmeStore(maxRecords, options.state);
  const faults = createFaultsStore({
    ...options.faults,
    validationMode: validation.mode,
    onStrike: (fault, endpoint) => options.counts.countFault({ fault, endpoint }),
  });
  const deps: AcmeDeps = {
    store,
    certificates: options.certificates,
    status: options.status,
    counts: options.counts,
    nonces: createNonces(store),
    issuer,
    validate: createValidation(validation, faults.validationMode),
    faults,
    settings,
    clock,
    logger,
  };
  resumeValidations(deps);
  return deps;
}
