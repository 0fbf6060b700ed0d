import type { FqdnCounts, Watch } from '@certloop/contracts/browser';
import { changeDisplay, ErrorPanel, Steps, WaitingSteps } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useHasPolicy, useNextRenewals } from './dashboard-queries.js';
import { maxNextRenewals } from './next-renewals-card.js';
import { integrationStep } from './watch-parts.js';
import { useWatch } from './watch-state.js';

/** The steps of a new installation, ticked by facts, with a button that hides them. */
export function Checklist({ steps, failed }: ReturnType<typeof useChecklist>) {
  return (
    <section className="cl-panel" aria-label="First steps">
      <div className="cl-title">
        <h2>First steps</h2>
        <Button size="xs" variant="default" onClick={() => changeDisplay({ checklist: 'hidden' })}>
          Hide this list
        </Button>
      </div>
      {failed !== undefined && <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />}
      {steps === undefined ? failed === undefined && <WaitingSteps count={8} /> : <Steps steps={steps} />}
    </section>
  );
}

/**
 * The steps, or the request without which it is not known what is done of them; neither until that is known, or while
 * no list is wanted.
 */
export function useChecklist(counts: FqdnCounts | undefined, isWanted: boolean) {
  const renewals = useNextRenewals(maxNextRenewals, counts !== undefined && counts.total > 0);
  const watch = useWatch();
  const hasPolicy = useHasPolicy(isWanted);
  const failed = [renewals, watch, hasPolicy].find(({ isError, data }) => isError && data === undefined);
  const isKnown = [renewals, watch, hasPolicy].every(({ data }) => data !== undefined);
  if (counts === undefined || !isKnown) return { failed };
  const facts = {
    isRenewing: renewals.data !== undefined && renewals.data.rows.length > 0,
    watch: watch.data,
    hasPolicy: hasPolicy.data === true,
  };
  return { failed, steps: stepsOf(counts, facts) };
}

interface StepFacts {
  readonly isRenewing: boolean;
  readonly watch: Watch | undefined;
  readonly hasPolicy: boolean;
}

function stepsOf({ total, unfinished }: FqdnCounts, { isRenewing, watch, hasPolicy }: StepFacts) {
  return [
    {
      key: 'servers',
      isDone: unfinished < total,
      text: (
        <>
          <Link to="/watch-servers">Watch the servers</Link> that have certificates, or get the first one by
          the steps below.
        </>
      ),
    },
    { key: 'space', isDone: true, text: 'Create a space.' },
    { key: 'name', isDone: total > 0, text: 'Add a host name.' },
    {
      key: 'certificate',
      isDone: unfinished < total,
      text: (
        <>
          Upload a CSR and request a certificate for{' '}
          <Link to="/fqdns" search={{ state: 'unfinished' }}>
            a name
          </Link>
          .
        </>
      ),
    },
    {
      key: 'renewal',
      isDone: isRenewing,
      text: 'Switch the automatic renewal of the name on.',
    },
    {
      key: 'monitor',
      isDone: watch?.monitor?.answers === true,
      text: 'Set CHECK_MONITOR_URL, so that the monitor watches every certificate.',
    },
    {
      key: 'policy',
      isDone: hasPolicy,
      text: (
        <>
          Limit the names for which <Link to="/spaces">a space</Link> may get certificates by its issuance
          policy, or set ISSUANCE_POLICY_DEFAULT for all spaces.
        </>
      ),
    },
    integrationStep(watch),
  ];
}
