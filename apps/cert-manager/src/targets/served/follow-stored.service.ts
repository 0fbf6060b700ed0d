import type { Clock } from '@certloop/server';
import type { RenewalScheduler } from '../../renewals/schedule-renewals.service.js';
import { firstProbeAt } from '../probes/probe-schedule.js';
import { probeSooner } from '../target-claims.repository.js';

/** The scheduler, after which the targets of an FQDN are probed a minute after a certificate is stored. */
export function probedAfter(scheduler: RenewalScheduler, clock: Clock): RenewalScheduler {
  return {
    ...scheduler,
    onCertificatesStored: async (tx, stored) => {
      await scheduler.onCertificatesStored(tx, stored);
      const ids = stored.map(({ fqdn }) => fqdn.id);
      await probeSooner(tx, ids, firstProbeAt(clock.now()));
    },
  };
}
