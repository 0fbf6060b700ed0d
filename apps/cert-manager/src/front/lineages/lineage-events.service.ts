import type { Tx } from '@certloop/db';

/** Events of lineages; `changes/reactions.service.ts` lists what follows each of them. */
export interface LineageEvents {
  /** The rows of orders and accounts are written. */
  lineagesChanged(tx: Tx, event: LineagesChanged): Promise<void>;
}

/** FQDNs whose ACME clients have other lineages than before, or other dates of theirs. */
export interface LineagesChanged {
  readonly fqdns: readonly { readonly id: string; readonly spaceId: string }[];
  /**
   * An order was issued or failed; the renewalInfo of a certificate was read for the first time; an account ended; a person
   * reported that a machine is gone; an order was deleted long after its certificate had expired.
   */
  readonly cause: 'issued' | 'failed' | 'read' | 'ended' | 'released' | 'deleted';
}
