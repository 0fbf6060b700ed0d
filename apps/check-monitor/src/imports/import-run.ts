import type { Micros } from '../instants.js';
import type { ChannelKind } from '../integrations/kinds.js';
import type { ImportTally } from './import-report.js';

/** A project that the dump has, as it is here. */
export interface ImportedProject {
  readonly id: string;
  readonly ownerId: string;
  readonly name: string;
  /** Whether one of its checks was pinged here: then what is here stays. */
  readonly isLive: boolean;
}

/** A check that the dump has, as it is here. */
export interface ImportedCheck {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly project: ImportedProject;
  readonly state: 'new' | 'known' | 'live';
  /** Integrations that it has in the dump, and of those the ones that came along. */
  wanted: number;
  assigned: number;
}

/** An integration that came along. */
export interface ImportedIntegration {
  readonly title: string;
  readonly kind: ChannelKind;
  readonly settings: object;
}

/** State of an import while it reads the dump once, from its first row to its last. */
export interface ImportRun {
  readonly now: Micros;
  readonly secret: string;
  readonly tally: ImportTally;
  /** Imported integrations, which are checked when all is written. */
  readonly integrations: ImportedIntegration[];
  /** By primary keys of the dump. */
  readonly projects: Map<number, ImportedProject>;
  readonly checks: Map<number, ImportedCheck>;
  /** Ids of the checks that were here before and were never pinged here. */
  readonly idleCheckIds: Set<number>;
  /** Users whose projects another user got. */
  readonly formerOwnerIds: Set<string>;
  /** Users that came along. */
  readonly userIds: Set<string>;
  /** Time zones of users, by their ids and once more by their e-mail addresses. */
  readonly zones: Map<string, string>;
}

/** Command that writes a dump which can be imported. */
export const dumpCommand =
  'manage.py dumpdata auth.user accounts api --exclude api.ping --exclude api.tokenbucket --exclude api.notification';

export const dayMicros = 86_400_000_000;
