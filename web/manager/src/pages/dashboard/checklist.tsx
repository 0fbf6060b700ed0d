import type { FqdnCounts } from '@certloop/contracts/browser';
import { changeDisplay, ErrorPanel, WaitingSteps } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Steps } from '../../steps.js';
import { useHasPolicy, useNextRenewals } from './dashboard-queries.js';
import { maxNextRenewals } from './next-renewals-card.js';
import { useMonitorContact } from './watch-state.js';

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
      {steps === undefined ? failed === undefined && <WaitingSteps count={6} /> : <Steps steps={steps} />}
    </section>
  );
}

/**
 * The steps, or the request without which it is not known what is done of them; neither until that is known, or while
 * no list is wanted.
 */
export function useChecklist(counts: FqdnCounts | undefined, isWanted: boolean) {
  const renewals = useNextRenewals(maxNextRenewals, counts !== undefined && counts.total > 0);
  const contact = useMonitorContact();
  const hasPolicy = useHasPolicy(isWanted);
  const failed = [renewals, contact, hasPolicy].find(({ isError, data }) => isError && data === undefined);
  const isKnown = [renewals, contact, hasPolicy].every(({ data }) => data !== undefined);
  if (counts === undefined || !isKnown) return { failed };
  const facts = {
    isRenewing: renewals.data !== undefined && renewals.data.rows.length > 0,
    isWatched: contact.data?.answers === true,
    hasPolicy: hasPolicy.data === true,
  };
  return { failed, steps: stepsOf(counts, facts) };
}

interface StepFacts {
  readonly isRenewing: boolean;
  readonly isWatched: boolean;
  readonly hasPolicy: boolean;
}

function stepsOf({ total, unfinished }: FqdnCounts, { isRenewing, isWatched, hasPolicy }: StepFacts) {
  return [
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
      isDone: isWatched,
      text: 'Set CHECK_MONITOR_URL, so that the monitor alerts people if a renewal fails.',
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
  ];
}
