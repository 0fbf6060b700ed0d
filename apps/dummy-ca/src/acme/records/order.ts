import type { AcmeProblemDocument } from '@certloop/contracts';
import type { Identifier } from './identifiers.js';

export interface Order {
  readonly id: string;
  readonly accountId: string;
  readonly identifiers: readonly Identifier[];
  readonly authorizationIds: readonly string[];
  readonly expires: Date;
  readonly notBefore: Date | undefined;
  readonly notAfter: Date | undefined;
  readonly profile: string;
  readonly replaces: string | undefined;
  finalizedAt: Date | undefined;
  availableAt: Date | undefined;
  certificateId: string | undefined;
  problem: AcmeProblemDocument | undefined;
}
