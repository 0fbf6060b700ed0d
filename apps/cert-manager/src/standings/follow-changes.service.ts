import type { RenewalScheduler } from '../renewals/schedule-renewals.service.js';
import type { WatchEvents } from '../watch/watch-events.service.js';
import type { Standings } from './refresh-states.service.js';

/** The scheduler, which refreshes the states of what it changed. */
export function refreshingAfter(
  scheduler: RenewalScheduler,
  { refreshStates, refreshStatesWithoutCsrs }: Standings,
): RenewalScheduler {
  return {
    ...scheduler,
    onCertificatesStored: async (tx, stored) => {
      await scheduler.onCertificatesStored(tx, stored);
      await refreshStates(
        tx,
        stored.map(({ fqdn }) => fqdn.id),
      );
    },
    onRenewalsSwitched: async (tx, caller, switched) => {
      await scheduler.onRenewalsSwitched(tx, caller, switched);
      await refreshStates(
        tx,
        switched.map(({ fqdn }) => fqdn.id),
      );
    },
    onCsrStored: async (tx, caller, fqdn) => {
      await scheduler.onCsrStored(tx, caller, fqdn);
      await refreshStates(tx, [fqdn.id]);
    },
    onCertificateRefreshed: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRefreshed(tx, caller, fqdn);
      await refreshStates(tx, [fqdn.id]);
    },
    onCertificateRevoked: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRevoked(tx, caller, fqdn);
      await refreshStates(tx, [fqdn.id]);
    },
    onCsrsDeleted: async (tx, caller) => {
      await scheduler.onCsrsDeleted(tx, caller);
      await refreshStatesWithoutCsrs(tx);
    },
  };
}

/** Events of the watch; each refreshes the state of its FQDN, with or without a monitor. */
export function refreshingBeside(watch: WatchEvents, standings: Standings): WatchEvents {
  const { refreshStates } = standings;
  return {
    ...watch,
    onRequestFailed: async (tx, fqdnId, reason) => {
      await watch.onRequestFailed(tx, fqdnId, reason);
      await standings.noteRequestFailure(tx, fqdnId, reason);
    },
    onPlanned: async (tx, fqdn) => {
      await watch.onPlanned(tx, fqdn);
      await refreshStates(tx, [fqdn.id]);
    },
    onForbidden: async (tx, fqdnId, reason) => {
      await watch.onForbidden(tx, fqdnId, reason);
      await refreshStates(tx, [fqdnId]);
    },
    onAllowedAgain: async (tx, fqdnId) => {
      await watch.onAllowedAgain(tx, fqdnId);
      await refreshStates(tx, [fqdnId]);
    },
    onServed: async (tx, fqdnId, fault) => {
      await watch.onServed(tx, fqdnId, fault);
      await refreshStates(tx, [fqdnId]);
    },
  };
}
