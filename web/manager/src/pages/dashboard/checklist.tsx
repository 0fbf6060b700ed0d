import type { FqdnCounts } from '@certloop/contracts/browser';
import { changeDisplay, ErrorPanel, useDisplay, WaitingSteps } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRights } from '../../rights.js';
import { Steps } from '../../steps.js';
import { useNextRenewals } from './dashboard-queries.js';
import { maxNextRenewals } from './next-renewals-card.js';
import { useMonitorContact } from './watch-state.js';

/** The steps of a new installation for its administrators, ticked by facts, until all are done or they hide it. */
export function Checklist({ counts }: { readonly counts: FqdnCounts | undefined }) {
  const { isAdmin } = useRights();
  const { isChecklistHidden } = useDisplay();
  return isAdmin && !isChecklistHidden && <ShownChecklist counts={counts} />;
}

function ShownChecklist({ counts }: { readonly counts: FqdnCounts | undefined }) {
  const { steps, failed } = useSteps(counts);
  const isOver = steps?.every(({ isDone }) => isDone) === true;
  useEffect(() => {
    // the next visit leaves no place for it
    if (isOver) changeDisplay({ isChecklistHidden: true });
  }, [isOver]);
  if (isOver) return null;
  return (
    <section className="cl-panel" aria-label="First steps">
      <div className="cl-title">
        <h2>First steps</h2>
        <Button size="xs" variant="default" onClick={() => changeDisplay({ isChecklistHidden: true })}>
          Hide this list
        </Button>
      </div>
      {failed !== undefined && <ErrorPanel error={failed.error} retry={() => void failed.refetch()} />}
      {steps === undefined ? failed === undefined && <WaitingSteps count={5} /> : <Steps steps={steps} />}
    </section>
  );
}

/** The steps, or the request without which it is not known what is done of them; neither until that is known. */
function useSteps(counts: FqdnCounts | undefined) {
  const renewals = useNextRenewals(maxNextRenewals, counts !== undefined);
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
