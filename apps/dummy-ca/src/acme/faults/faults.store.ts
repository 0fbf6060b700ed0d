import type { AcmePath } from '@certloop/acme-server/rules';
import type { ValidationMode } from '@certloop/contracts';
import { drawFault, type Fault, type FaultKind, seededDraw } from './fault.js';

export type RequestCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Injected faults and counts of requests, in memory. */
export type FaultsStore = ReturnType<typeof createFaultsStore>;

export interface FaultsOptions {
  readonly faults: readonly Fault[];
  readonly seed: number;
  readonly validationMode: ValidationMode;
  /** Called for each request that a fault affects. */
  readonly onStrike: (fault: FaultKind, endpoint: AcmePath) => void;
}

// limits the memory that a test in a loop can use
const maxFaults = 1_000;

export function createFaultsStore({ onStrike, ...options }: FaultsOptions) {
  const { faults: initial, seed, validationMode: initialMode } = options;
  const draw = seededDraw(seed);
  let faults: readonly Fault[] = initial;
  let validationMode = initialMode;
  let counts: Record<string, Record<string, number>> = {};
  return {
    list: () => faults,
    add: (fault: Fault) => {
      faults = [...faults, fault].slice(-maxFaults);
    },
    clear: () => {
      faults = [];
    },
    /** The faults that affect the next request to the endpoint. */
    take: <K extends FaultKind>(endpoint: AcmePath, ...kinds: readonly K[]) => {
      const { struck, left } = drawFault(faults, endpoint, kinds, draw);
      faults = left;
      if (struck !== undefined) onStrike(struck.fault, endpoint);
      return struck;
    },
    validationMode: () => validationMode,
    setValidationMode: (mode: ValidationMode) => {
      validationMode = mode;
    },
    count: (endpoint: AcmePath, status: number) => {
      const ofEndpoint = counts[endpoint] ?? {};
      counts[endpoint] = { ...ofEndpoint, [status]: (ofEndpoint[status] ?? 0) + 1 };
    },
    counts: (): RequestCounts => counts,
    clearCounts: () => {
      counts = {};
    },
  };
}
