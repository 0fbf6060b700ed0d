import type { State } from '../authority/state.store.js';
import type { AcmeDeps } from './acme-deps.service.js';
import { resumeValidations } from './authorizations/challenges.service.js';
import { createFaultsStore, type FaultsOptions } from './faults/faults.store.js';
import { createNonces } from './nonces.service.js';
import { createAcmeStore } from './records/acme.store.js';
import { createValidation } from './validation/validate-challenge.client.js';
import type { ValidationSettings } from './validation/validation-settings.js';

export interface AcmeOptions extends Omit<AcmeDeps, 'store' | 'nonces' | 'validate' | 'faults'> {
  readonly validation: ValidationSettings;
  readonly faults: Omit<FaultsOptions, 'validationMode' | 'onStrike'>;
  /** Limit on accounts, orders, certificates and nonces in memory, each. */
  readonly maxRecords: number;
  readonly state: State;
}

/** An ACME server that remembers what the state has. */
export function createAcme(options: AcmeOptions): AcmeDeps {
  const { validation, maxRecords, state, ...shared } = options;
  const store = createAcmeStore(maxRecords, state);
  const faults = createFaultsStore({
    ...options.faults,
    validationMode: validation.mode,
    onStrike: (fault, endpoint) => shared.counts.countFault({ fault, endpoint }),
  });
  const validate = createValidation(validation, faults.validationMode);
  const deps: AcmeDeps = { ...shared, store, nonces: createNonces(maxRecords), validate, faults };
  resumeValidations(deps);
  return deps;
}
