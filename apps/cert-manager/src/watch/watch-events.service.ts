import { newRowId, type Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { RenewalFault } from '../renewals/queue/settle-renewal.service.js';
import type { RenewalRow } from '../renewals/renewals.repository.js';
import type { RenewalScheduler } from '../renewals/schedule-renewals.service.js';
import { watchMissing } from './missing-watch.repository.js';
import {
  allowedText,
  failedText,
  forbiddenText,
  refusedText,
  revokedText,
  servedAgainText,
  servedText,
} from './pings/ping-text.js';
import { deletePingsOf, insertPing } from './pings/watch-pings.repository.js';
import { eventSignal, type WatchSignal } from './signal-now.js';
import {
  findServedFault,
  forgetSent,
  touchWatched,
  updateServedFault,
  type WatchScope,
  wasPinged,
  watchFqdn,
} from './watched-fqdns.repository.js';
import { announcedText, findWatched, stateText, type WatchedSubject } from './watched-subject.service.js';

/** Events of the watch; each is handled in the transaction of the change, and calls no monitor. */
export interface WatchEvents {
  /** The FQDN has a newer certificate, and its renewal is planned. */
  onIssued(tx: Tx, caller: Caller, fqdnId: string): Promise<void>;
  /** A renewal has failed with the reason. */
  onRenewalFailed(tx: Tx, entry: RenewalRow, fault: Pick<RenewalFault, 'reason'>): Promise<void>;
  /** A request for a certificate failed. */
  onRequestFailed(tx: Tx, fqdnId: string, reason: string): Promise<void>;
  /** The renewal of the FQDN is planned for another moment. */
  onPlanned(tx: Tx, fqdn: Pick<FqdnRow, 'id' | 'spaceId'>): Promise<void>;
  /** The mode of the watch has changed: renewal was switched, or the acceptance of the expiry began or ended. */
  onModeChanged(tx: Tx, fqdn: Pick<FqdnRow, 'id' | 'spaceId'>): Promise<void>;
  /** The newest certificate of the FQDN was revoked, and its renewal is planned if possible. */
  onRevoked(tx: Tx, fqdnId: string): Promise<void>;
  /** The policy of the space forbids the renewal of the FQDN. */
  onForbidden(tx: Tx, fqdnId: string, reason: string): Promise<void>;
  /** The policy of the space allows it again. */
  onAllowedAgain(tx: Tx, fqdnId: string): Promise<void>;
  /** The targets of the FQDN have this fault, or null for none; also called when nothing has changed. */
  onServed(tx: Tx, fqdnId: string, fault: string | null): Promise<void>;
  /** The FQDNs in the scope were deleted. */
  onFqdnsDeleted(tx: Tx, scope: WatchScope): Promise<void>;
  /** The watch of a space was switched. */
  onWatchSwitched(tx: Tx, spaceId: string): Promise<void>;
}

export function createWatchEvents(clock: Clock, { watchesExpiry = true } = {}): WatchEvents {
  const news = createNews(clock, watchesExpiry);
  return {
    ...certificateEvents(news),
    ...planEvents(news),
    ...policyEvents(news),
    ...servedEvents(news),
    ...scopeEvents(news),
  };
}

/** Finds the watched FQDN and queues pings to the monitor. */
interface WatchNews {
  readonly clock: Clock;
  readonly watchesExpiry: boolean;
  find(tx: Tx, fqdnId: string): Promise<WatchedSubject | undefined>;
  send(tx: Tx, subject: WatchedSubject, signal: WatchSignal, body: string): Promise<void>;
}

function createNews(clock: Clock, watchesExpiry: boolean): WatchNews {
  return {
    clock,
    watchesExpiry,
    find: (tx, fqdnId) => findWatched(tx, fqdnId, { now: clock.now(), watchesExpiry }),
    send: async (tx, { fqdn }, signal, body) => {
      const now = clock.now();
      await insertPing(tx, { id: newRowId(now), subject: fqdn.id, signal, body, createdAt: now });
      await watchFqdn(tx, fqdn, now);
    },
  };
}

/** A certificate was stored, revoked, or not obtained. */
function certificateEvents({
  find,
  send,
}: WatchNews): Pick<WatchEvents, 'onIssued' | 'onRenewalFailed' | 'onRequestFailed' | 'onRevoked'> {
  return {
    onIssued: async (tx, caller, fqdnId) => {
      const subject = await find(tx, fqdnId);
      if (subject?.certificate === undefined) return;
      const { certificate, now } = subject;
      const isImported = certificate.importedAt !== null;
      const event = caller.kind === 'scheduler' ? 'renewed' : isImported ? 'imported' : 'issued';
      await send(tx, subject, eventSignal('good', now), announcedText(event, certificate, subject));
    },
    onRenewalFailed: async (tx, { fqdnId, certificateId, isTest, attempt }, { reason }) => {
      const subject = await find(tx, fqdnId);
      if (subject === undefined) return;
      // a test says nothing about the next renewal, and what was renewed manually in the meantime need not be renewed
      const isPast = isTest || subject.mode !== 'renewal' || subject.certificate?.id !== certificateId;
      const signal = isPast ? 'log' : eventSignal('bad', subject.now);
      await send(tx, subject, signal, failedText({ attempt, reason }));
    },
    onRequestFailed: async (tx, fqdnId, reason) => {
      const subject = await find(tx, fqdnId);
      if (subject !== undefined)
        await send(tx, subject, eventSignal('bad', subject.now), refusedText(reason));
    },
    onRevoked: async (tx, fqdnId) => {
      const subject = await find(tx, fqdnId);
      if (subject?.certificate === undefined) return;
      const { certificate, now } = subject;
      const isPlanned = now.standing.outlook === 'planned';
      await send(tx, subject, eventSignal('bad', now), revokedText({ ...certificate, isPlanned }));
    },
  };
}

/** When or whether the FQDN is renewed has changed. */
function planEvents({ clock, find, send }: WatchNews): Pick<WatchEvents, 'onPlanned' | 'onModeChanged'> {
  return {
    onPlanned: (tx, { id, spaceId }) => watchFqdn(tx, { id, spaceId }, clock.now()),
    onModeChanged: async (tx, { id, spaceId }) => {
      const subject = await find(tx, id);
      if (subject === undefined) return touchWatched(tx, { fqdnId: id }, clock.now());
      const { signal } = subject.now;
      await forgetSent(tx, id);
      const isPinged = await wasPinged(tx, id);
      if (isPinged && signal !== 'log') return send(tx, subject, signal, stateText(subject));
      // what is not sent yet is about another mode; a check without pings begins with the state of then
      if (!isPinged) await deletePingsOf(tx, id);
      return watchFqdn(tx, { id, spaceId }, clock.now());
    },
  };
}

/** What the policy of the space says of the renewal has changed. */
function policyEvents({ find, send }: WatchNews): Pick<WatchEvents, 'onForbidden' | 'onAllowedAgain'> {
  return {
    onForbidden: async (tx, fqdnId, reason) => {
      const subject = await find(tx, fqdnId);
      if (subject?.mode !== 'renewal') return;
      await send(tx, subject, eventSignal('bad', subject.now), forbiddenText(reason));
    },
    onAllowedAgain: async (tx, fqdnId) => {
      const subject = await find(tx, fqdnId);
      if (subject?.mode !== 'renewal') return;
      // if its renewal failed in the meantime, it is retried at once, and that attempt pings the result
      await send(tx, subject, eventSignal('good', subject.now), allowedText);
    },
  };
}

/** What the targets serve has changed. */
function servedEvents({ find, send }: WatchNews): Pick<WatchEvents, 'onServed'> {
  return {
    onServed: async (tx, fqdnId, fault) => {
      if ((await findServedFault(tx, fqdnId)) === fault) return;
      if (!(await updateServedFault(tx, fqdnId, fault))) return;
      const subject = await find(tx, fqdnId);
      if (subject === undefined) return;
      const { now } = subject;
      if (fault !== null) return send(tx, subject, eventSignal('bad', now), servedText(fault));
      const text = now.signal === 'fail' ? stateText(subject) : servedAgainText;
      return send(tx, subject, now.signal, text);
    },
  };
}

/** FQDNs were deleted, or the watch of a space was switched. */
function scopeEvents({
  clock,
  watchesExpiry,
}: WatchNews): Pick<WatchEvents, 'onFqdnsDeleted' | 'onWatchSwitched'> {
  return {
    onFqdnsDeleted: (tx, scope) => touchWatched(tx, scope, clock.now()),
    onWatchSwitched: async (tx, spaceId) => {
      await touchWatched(tx, { spaceId }, clock.now());
      const now = clock.now();
      await watchMissing(tx, { spaceId }, { mode: 'renewal', now, dueAt: now });
      // FQDNs without renewal follow
      const dueAt = new Date(now.getTime() + 1);
      if (watchesExpiry) await watchMissing(tx, { spaceId }, { mode: 'expiry', now, dueAt });
    },
  };
}

const nothing = async () => undefined;

/** Does nothing, since no monitor is set; once there is one, the sweep finds what was missed. */
export const noWatch: WatchEvents = {
  onIssued: nothing,
  onRenewalFailed: nothing,
  onRequestFailed: nothing,
  onPlanned: nothing,
  onModeChanged: nothing,
  onRevoked: nothing,
  onForbidden: nothing,
  onAllowedAgain: nothing,
  onServed: nothing,
  onFqdnsDeleted: nothing,
  onWatchSwitched: nothing,
};

/** The scheduler; each of its events is then handled by the watch too. */
export function withWatch(watch: WatchEvents, scheduler: RenewalScheduler): RenewalScheduler {
  return {
    ...scheduler,
    onCertificatesStored: async (tx, stored) => {
      await scheduler.onCertificatesStored(tx, stored);
      for (const { caller, fqdn } of stored) await watch.onIssued(tx, caller, fqdn.id);
    },
    onRenewalsSwitched: async (tx, caller, switched) => {
      await scheduler.onRenewalsSwitched(tx, caller, switched);
      for (const { fqdn, wasEnabled } of switched) {
        if (fqdn.renewalEnabled !== wasEnabled) await watch.onModeChanged(tx, fqdn);
        else if (fqdn.renewalEnabled) await watch.onPlanned(tx, fqdn);
      }
    },
    onCertificateRefreshed: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRefreshed(tx, caller, fqdn);
      if (fqdn.renewalEnabled) await watch.onPlanned(tx, fqdn);
      // its chain may end at another time than before
      else await watch.onModeChanged(tx, fqdn);
    },
    onCertificateRevoked: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRevoked(tx, caller, fqdn);
      await watch.onRevoked(tx, fqdn.id);
    },
    onProviderNamed: async (tx, caller, fqdns) => {
      await scheduler.onProviderNamed(tx, caller, fqdns);
      for (const fqdn of fqdns) if (fqdn.renewalEnabled) await watch.onPlanned(tx, fqdn);
    },
    onCsrStored: async (tx, caller, fqdn) => {
      await scheduler.onCsrStored(tx, caller, fqdn);
      if (fqdn.renewalEnabled) await watch.onPlanned(tx, fqdn);
    },
  };
}
