import type { RenewalScheduler } from '../renewals/schedule-renewals.service.js';
import type { WatchEvents } from '../watch/watch-events.service.js';
import type { Standings } from './restate.service.js';

/** The scheduler, after which what it changed is restated. */
export function restatedAfter(
  scheduler: RenewalScheduler,
  { restate, restateWithoutCsrs }: Standings,
): RenewalScheduler {
  return {
    ...scheduler,
    onCertificatesStored: async (tx, stored) => {
      await scheduler.onCertificatesStored(tx, stored);
      await restate(
        tx,
        stored.map(({ fqdn }) => fqdn.id),
      );
    },
    onRenewalsSwitched: async (tx, caller, switched) => {
      await scheduler.onRenewalsSwitched(tx, caller, switched);
      await restate(
        tx,
        switched.map(({ fqdn }) => fqdn.id),
      );
    },
    onCsrStored: async (tx, caller, fqdn) => {
      await scheduler.onCsrStored(tx, caller, fqdn);
      await restate(tx, [fqdn.id]);
    },
    onCertificateRefreshed: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRefreshed(tx, caller, fqdn);
      await restate(tx, [fqdn.id]);
    },
    onCertificateRevoked: async (tx, caller, fqdn) => {
      await scheduler.onCertificateRevoked(tx, caller, fqdn);
      await restate(tx, [fqdn.id]);
    },
    onCsrsDeleted: async (tx, caller) => {
      await scheduler.onCsrsDeleted(tx, caller);
      await restateWithoutCsrs(tx);
    },
  };
}

/** Events of the watch; each FQDN that one is about is restated, whether or not there is a monitor. */
export function restatedBeside(watch: WatchEvents, standings: Standings): WatchEvents {
  const { restate } = standings;
  return {
    ...watch,
    onRequestFailed: async (tx, fqdnId, reason) => {
      await watch.onRequestFailed(tx, fqdnId, reason);
      await standings.noteRequestFailure(tx, fqdnId, reason);
    },
    onPlanned: async (tx, fqdn) => {
      await watch.onPlanned(tx, fqdn);
      await restate(tx, [fqdn.id]);
    },
    onForbidden: async (tx, fqdnId, reason) => {
      await watch.onForbidden(tx, fqdnId, reason);
      await restate(tx, [fqdnId]);
    },
    onAllowedAgain: async (tx, fqdnId) => {
      await watch.onAllowedAgain(tx, fqdnId);
      await restate(tx, [fqdnId]);
    },
    onServed: async (tx, fqdnId, fault) => {
      await watch.onServed(tx, fqdnId, fault);
      await restate(tx, [fqdnId]);
    },
  };
}
