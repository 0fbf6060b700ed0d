import type { AddressState } from '../probes/address-state.js';
import type { ServedFacts } from '../probes/judge-observation.js';
import type { TargetSettings } from '../target.js';

/** Targets of an FQDN with what is shown of them. */
export interface ServedPart {
  readonly fqdn: { readonly id: string; readonly spaceId: string; readonly fqdn: string };
  readonly newest:
    | {
        readonly certificateId: string;
        readonly serialNumber: string;
        readonly fingerprint: string;
        readonly notAfter: Date;
        /** When it was stored here. */
        readonly issuedAt: Date;
      }
    | undefined;
  readonly targets: readonly {
    readonly target: TargetSettings & { readonly id: string };
    readonly states: readonly (AddressState &
      ServedFacts & {
        readonly address: string;
        readonly observedAt: Date;
        readonly observer: 'manager' | 'report';
      })[];
  }[];
}
