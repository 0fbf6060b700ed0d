import type { FqdnCounts } from '@certloop/contracts/browser';
import { changeDisplay, useDisplay, WaitingSteps } from '@certloop/web-kit';
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
  const steps = useSteps(counts);
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
      {steps === undefined ? <WaitingSteps count={5} /> : <Steps steps={steps} />}
    </section>
  );
}

/** The steps with what is done of them; undefined until that is known. */
function useSteps(counts: FqdnCounts | undefined) {
  const renewals = useNextRenewals(maxNextRenewals, counts !== undefined).data;
  const contact = useMonitorContact().data;
  if (counts === undefined || renewals === undefined || contact === undefined) return undefined;
  return [
    { key: 'space', isDone: true, text: 'Create a space.' },
    { key: 'name', isDone: counts.total > 0, text: 'Add a host name.' },
    {
      key: 'certificate',
      isDone: counts.unfinished < counts.total,
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
      isDone: renewals.rows.length > 0,
      text: 'Switch the automatic renewal of the name on.',
    },
    {
      key: 'monitor',
      isDone: contact?.answers === true,
      text: 'Set CHECK_MONITOR_URL, so that the monitor alerts people if a renewal fails.',
    },
  ];
}
