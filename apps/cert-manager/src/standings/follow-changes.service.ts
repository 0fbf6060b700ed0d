import type { RenewalScheduler } from '../renewals/schedule-renewals.service.js';
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
