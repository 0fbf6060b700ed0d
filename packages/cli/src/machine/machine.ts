import type { Io } from '../io.js';
import type { Report } from '../output/report.js';
import type { VerifyPlace } from './check-served.js';
import type { Hook } from './hook-words.js';
import type { Access } from './whole-files.js';

/** Parts of a pair that a server may need at a place of its own. */
export const copyParts = ['key', 'cert', 'chain', 'fullchain'] as const;
export type CopyPart = (typeof copyParts)[number];

export interface Copy {
  readonly part: CopyPart;
  readonly path: string;
}

/** How a server on this machine takes a new certificate. */
export interface ServerHooks {
  readonly test?: Hook | undefined;
  readonly reload?: Hook | undefined;
  readonly verify?: VerifyPlace | undefined;
}

/** The certificate of one FQDN on this machine. */
export interface Machine extends ServerHooks {
  readonly io: Io;
  readonly report: Report;
  readonly fqdn: string;
  /** Folder of its pairs. */
  readonly dir: string;
  readonly copies: readonly Copy[];
  /** File of the key that is there. */
  readonly keyFile?: string | undefined;
  /** Whether a key is made here if there is none. */
  readonly wantsKey: boolean;
  readonly keyAccess: Access;
  readonly certificateAccess: Access;
}

/** Access of a part of a pair. */
export function accessOf({ keyAccess, certificateAccess }: Machine, part: CopyPart): Access {
  return part === 'key' ? keyAccess : certificateAccess;
}
