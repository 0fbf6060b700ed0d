import type { ChallengeSetup } from '@certloop/contracts';
import type { ChallengeItem } from '../../acme/orders/order-steps.js';
import type { StepReports } from '../jobs/request-plan.js';
import type { SetupWork } from './challenge-setup.js';

interface ShownSetup {
  readonly fqdn: { readonly id: string; readonly spaceId: string; readonly fqdn: string };
  readonly provider: { readonly id: string; readonly name: string } | undefined;
  readonly names: readonly string[];
  readonly work: SetupWork;
  readonly job: { readonly id: string; readonly state: string; readonly steps: StepReports } | undefined;
}

/** Returns the setup that the challenges of an FQDN need, as the API shows it. */
export function challengeSetupView({ fqdn, provider, names, work, job }: ShownSetup): ChallengeSetup {
  const { type, message, obstacle, http01, dns01 } = work;
  return {
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    fqdn: fqdn.fqdn,
    ...(provider !== undefined && { provider: { id: provider.id, name: provider.name } }),
    ...(type !== undefined && { type }),
    message,
    names: [...names],
    ...(obstacle !== undefined && { obstacle }),
    ...(http01 !== undefined && { http01 }),
    ...(dns01 !== undefined && { dns01 }),
    waiting: waitingOf(job),
  };
}

function waitingOf(job: ShownSetup['job']): ChallengeSetup['waiting'] {
  if (job?.state !== 'waiting') return [];
  const { items = {} } = (job.steps.challenges ?? {}) as {
    readonly items?: Readonly<Record<string, ChallengeItem>>;
  };
  return Object.entries(items).flatMap(([name, { type, publish }]) =>
    publish === undefined ? [] : [{ jobId: job.id, name, type, ...publish }],
  );
}
