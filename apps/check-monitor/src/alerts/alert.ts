import { type Check, tagsOf } from '../checks/check.js';
import type { Signal } from '../checks/check-state.js';
import { describeCheck, type ViewContext } from '../checks/check-view.js';
import type { Micros } from '../instants.js';
import {
  type AlertEvent,
  type AlertStatus,
  displayName,
  type OtherChecks,
  type StatusChange,
} from '../integrations/messages/alert-event.js';

/** A change of status as sent to channels. */
export interface AlertFlip {
  readonly at: Micros;
  readonly oldStatus: string;
  readonly newStatus: string;
  readonly reason: string;
}

/** The latest ping at the time of the change. */
export interface AlertPing {
  readonly n: number;
  readonly signal: Signal;
  readonly at: Micros;
  readonly exitStatus: number | null;
  readonly scheme: string;
  readonly method: string;
  readonly remoteAddr: string | null;
  readonly body: Buffer | null;
}

type OtherCheck = Pick<Check, 'uuid' | 'uniqueKey' | 'name' | 'slug' | 'lastPing'>;

/** Facts about a flip when it is sent. */
export interface AlertFacts {
  readonly deliveryId: string;
  readonly status: AlertStatus;
  readonly flip: AlertFlip;
  /** All flips that the message names, oldest first and this one last. */
  readonly flips: readonly AlertFlip[];
  /** The flip before it. */
  readonly earlier: AlertFlip | undefined;
  readonly check: Check;
  /** Uuids of all channels that are assigned to the check. */
  readonly channelIds: readonly string[];
  readonly projectName: string;
  readonly lastPing: AlertPing | undefined;
  readonly others: Omit<OtherChecks, 'down'> & { readonly down: readonly OtherCheck[] };
}

/** Only news is sent: the first success of a check, or the one that ends its pause, is none. */
export function alertStatusOf({ oldStatus, newStatus }: AlertFlip): AlertStatus | undefined {
  if (newStatus === 'down') return 'down';
  return newStatus === 'up' && oldStatus === 'down' ? 'up' : undefined;
}

/** Reach of a channel of a check for a change of its status. */
export interface ChannelReach {
  /** Whether it is switched on and nothing is known that prevents its messages from arriving. */
  readonly canSend: boolean;
  /** Whether it sends such a change at all. */
  readonly isWanted: boolean;
}

/**
 * Whether a flip reaches no one although it should: a check went down and no channel that can send wants that, or it
 * came up and none can send. A channel that wants no message of checks that come up is a choice.
 */
export function isUnheard(flip: AlertFlip, assigned: readonly ChannelReach[]): boolean {
  const status = alertStatusOf(flip);
  if (status === undefined) return false;
  return !assigned.some(({ canSend, isWanted }) => canSend && (isWanted || status === 'up'));
}

/** The event that channels send. */
export function describeAlert(facts: AlertFacts, context: ViewContext): AlertEvent {
  const { deliveryId, status, flip, flips, earlier, check, channelIds, projectName, lastPing, others } =
    facts;
  const fell = status === 'up' && earlier?.newStatus === 'down' ? earlier.at : null;
  return {
    deliveryId,
    status,
    at: flip.at,
    reason: flip.reason === 'timeout' || flip.reason === 'fail' ? flip.reason : '',
    downSince: fell,
    check: describeChecked(check, describeCheck(check, channelIds, context)),
    projectName,
    lastPing: lastPing === undefined ? null : describePing(lastPing),
    others: {
      total: others.total,
      downCount: others.downCount,
      down: others.down.map((other) => {
        const { uuid, uniqueKey, lastPing } = other;
        return { uuid, uniqueKey, name: displayName(other), lastPing };
      }),
    },
    ...(flips.length > 1 ? { changes: flips.map(changeOf) } : {}),
  };
}

function changeOf({ at, newStatus }: AlertFlip): StatusChange {
  return { at, status: newStatus === 'up' ? 'up' : 'down' };
}

function describeChecked(check: Check, json: object): AlertEvent['check'] {
  const { uuid, uniqueKey, name, slug, tags, description, pingCount } = check;
  const period = periodOf(check);
  return { uuid, uniqueKey, name, slug, tags, tagList: tagsOf(tags), description, period, pingCount, json };
}

function periodOf({ kind, timeoutSeconds, schedule, tz }: Check): AlertEvent['check']['period'] {
  return kind === 'simple' ? { kind, timeoutSeconds } : { kind, schedule, tz };
}

function describePing(ping: AlertPing): AlertEvent['lastPing'] {
  const { n, signal, at, exitStatus, scheme, method, remoteAddr, body } = ping;
  const origin = { scheme, method, remoteAddr };
  return { n, signal, at, exitStatus, isMail: scheme === 'email', body, origin };
}
