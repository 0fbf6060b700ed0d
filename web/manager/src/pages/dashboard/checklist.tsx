import type { FqdnCounts } from '@certloop/contracts/browser';
import { changeDisplay, ErrorPanel, WaitingSteps } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Steps } from '../../steps.js';
import { useNextRenewals } from './dashboard-queries.js';
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
      {steps === undefined ? failed === undefined && <WaitingSteps count={5} /> : <Steps steps={steps} />}
    </section>
  );
}

/** The steps, or the request without which it is not known what is done of them; neither until that is known. */
export function useChecklist(counts: FqdnCounts | undefined) {
  const renewals = useNextRenewals(maxNextRenewals, counts !== undefined && counts.total > 0);
  const contact = useMonitorContact();
  const failed = [renewals, contact].find(({ isError, data }) => isError && data === undefined);
  if (counts === undefined || renewals.data === undefined || contact.data === undefined) return { failed };
  return { failed, steps: stepsOf(counts, renewals.data.rows.length > 0, contact.data?.answers === true) };
}

function stepsOf({ total, unfinished }: FqdnCounts, isRenewing: boolean, isWatched: boolean) {
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
  ];
}
