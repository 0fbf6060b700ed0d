import type { AlertReach } from '@certloop/contracts/browser';
import { countOf, StateChip } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reachQuery } from './lookups.js';

/** Whether checks exist and no integration can send. */
export function reachesNoOne(reach: AlertReach | null | undefined): boolean {
  return reach !== null && reach !== undefined && reach.checks > 0 && reach.canSend === 0;
}

/** Whether an integration can send, and a message or a test has arrived by one. */
export function hasDelivered(reach: AlertReach | null | undefined): boolean {
  return reach !== null && reach !== undefined && reach.canSend > 0 && reach.lastDeliveredAt !== undefined;
}

/** That the alerts of a check or a project reach no one. */
export function NoOneChip() {
  return <StateChip tone="bad" shape="octagon" word="no one is notified" />;
}

/** Shows what is wrong with the alerts of a project, with the way to its integrations; nothing while all is well. */
export function AlertReachNotice({ projectId }: { readonly projectId: string }) {
  const reach = useQuery(reachQuery(projectId)).data;
  const problem = problemOf(reach);
  if (problem === undefined) return null;
  return (
    <section className="cl-row" aria-label="Whether people are notified">
      {problem.chip} <span>{problem.text}</span>
      <Link to="/projects/$projectId/integrations" params={{ projectId }}>
        {problem.way}
      </Link>
    </section>
  );
}

function problemOf(reach: AlertReach | null | undefined) {
  if (reach === null || reach === undefined || reach.checks === 0) return undefined;
  const { checks, integrations, canSend, failing } = reach;
  if (canSend === 0) {
    const text =
      integrations === 0
        ? `${countOf(checks, 'check has', 'checks have')} no integration to notify.`
        : `None of ${countOf(integrations, 'integration')} can send.`;
    return {
      chip: <NoOneChip />,
      text,
      way: integrations === 0 ? 'Add an integration' : 'Show integrations',
    };
  }
  if (failing === canSend) {
    const chip = <StateChip tone="bad" shape="octagon" word="messages do not arrive" />;
    return { chip, text: 'Every integration that can send is failing.', way: 'Show integrations' };
  }
  if (hasDelivered(reach)) return undefined;
  const chip = <StateChip tone="warn" shape="triangle" word="not tested" />;
  return { chip, text: 'No message or test has arrived yet.', way: 'Send a test' };
}
