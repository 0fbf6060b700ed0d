import type { Micros } from '../../instants.js';

/** Changes that channels send. */
export const alertStatuses = ['up', 'down'] as const;
export type AlertStatus = (typeof alertStatuses)[number];

/** Check in a message about it. */
export interface AlertedCheck {
  readonly uuid: string;
  readonly uniqueKey: string;
  readonly name: string;
  readonly slug: string;
  /** As given: words between blanks. */
  readonly tags: string;
  /** Words of `tags`. */
  readonly tagList: readonly string[];
  readonly description: string;
  readonly period:
    | { readonly kind: 'simple'; readonly timeoutSeconds: number }
    | { readonly kind: 'cron' | 'oncalendar'; readonly schedule: string; readonly tz: string };
  readonly pingCount: number;
  /** The check as a read-write key sees it. */
  readonly json: object;
}

/** The last ping before the change. */
export interface AlertedPing {
  /** Number of the ping, so how many there were up to it. */
  readonly n: number;
  readonly signal: 'success' | 'fail' | 'start' | 'log' | 'ign';
  readonly at: Micros;
  readonly exitStatus: number | null;
  /** Whether the ping was a mail; its body is the raw message then. */
  readonly isMail: boolean;
  readonly body: Buffer | null;
  /** How it came; absent in a test. */
  readonly origin?: PingOrigin;
}

/** How a ping came, and from where. */
export interface PingOrigin {
  /** `http`, `https` or `email`. */
  readonly scheme: string;
  /** Of HTTP; empty for a mail. */
  readonly method: string;
  readonly remoteAddr: string | null;
}

/** Another check of the project that is down. */
export interface DownCheck {
  readonly uuid: string;
  readonly uniqueKey: string;
  readonly name: string;
  readonly lastPing: Micros | null;
}

/** A change of status that channels send, with the facts for their messages. */
export interface AlertEvent {
  /** Same for every attempt to deliver to one channel, so that the target can drop the second one. */
  readonly deliveryId: string;
  readonly status: AlertStatus;
  /** When the status changed. */
  readonly at: Micros;
  readonly reason: 'timeout' | 'fail' | '';
  /** When a check that is up again had fallen; null when it is down or that is not known. */
  readonly downSince: Micros | null;
  readonly check: AlertedCheck;
  readonly projectName: string;
  readonly lastPing: AlertedPing | null;
  readonly others: OtherChecks;
  /** A test: the check does not exist. */
  readonly isTest?: true;
  /** All changes that the message names, oldest first and this one last; absent where it is the only one. */
  readonly changes?: readonly StatusChange[];
}

/** One of several changes of status. */
export interface StatusChange {
  readonly status: AlertStatus;
  readonly at: Micros;
}

/** How the other checks of the project are doing. */
export interface OtherChecks {
  readonly total: number;
  readonly downCount: number;
  /** Checks that are down, unless they are too many to be named. */
  readonly down: readonly DownCheck[];
}

/** Name that people know a check by; the uuid does not stand in for it, as it would let readers ping the check. */
export function displayName({ name, slug }: { readonly name: string; readonly slug: string }): string {
  return name || slug || 'unnamed check';
}

const day = 86_400_000_000;

/** The event of a test: a check named TEST changes to `status` now. */
export function testEvent(
  status: AlertStatus,
  now: Micros,
  { deliveryId, uuid, projectName }: { deliveryId: string; uuid: string; projectName: string },
): AlertEvent {
  const name = 'TEST';
  return {
    deliveryId,
    status,
    at: now,
    reason: status === 'down' ? 'timeout' : '',
    downSince: status === 'up' ? now - day : null,
    check: {
      uuid,
      uniqueKey: uuid.replaceAll('-', '').padEnd(40, '0'),
      name,
      slug: 'test',
      tags: 'test',
      tagList: ['test'],
      description: '',
      period: { kind: 'simple', timeoutSeconds: 86_400 },
      pingCount: 42,
      json: { name, slug: 'test', tags: 'test', status, n_pings: 42, uuid, timeout: 86_400, grace: 3600 },
    },
    projectName,
    lastPing: { n: 42, signal: 'success', at: now - day, exitStatus: null, isMail: false, body: null },
    others: { total: 0, downCount: 0, down: [] },
    isTest: true,
  };
}
