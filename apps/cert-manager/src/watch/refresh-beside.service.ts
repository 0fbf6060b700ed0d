import type { Standings } from '../standings/refresh-states.service.js';
import type { WatchEvents } from './watch-events.service.js';

/** Events of the watch; each refreshes the state of its FQDN, with or without a monitor. */
export function refreshingBeside(watch: WatchEvents, standings: Standings): WatchEvents {
  const { refreshStates } = standings;
  return {
    ...watch,
    onRequestFailed: async (tx, fqdnId, reason) => {
      await standings.noteRequestFailure(tx, fqdnId, reason);
      // its check fails by what is stored then
      await watch.onRequestFailed(tx, fqdnId, reason);
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
