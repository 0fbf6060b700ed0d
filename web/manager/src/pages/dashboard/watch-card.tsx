import type { Watch } from '@certloop/contracts/browser';
import { Loaded, Moment, WaitingLines } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../service.js';
import { IntegrationsLink, WatchChip } from './watch-parts.js';
import { useWatch } from './watch-state.js';

/** Who watches the certificates, and whether people are notified. */
export function WatchCard() {
  const query = useWatch();
  const url = useQuery(stateQuery).data?.monitorUrl;
  return (
    <section className="cl-panel" aria-label="Who watches">
      <h2>Who watches</h2>
      <Loaded query={query} waiting={<WaitingLines count={3} />}>
        {(watch) => (
          <>
            <div className="cl-row">
              <WatchChip watch={watch} />
            </div>
            <p>
              {watch.message} <Since watch={watch} />
            </p>
            <LastDelivery watch={watch} />
          </>
        )}
      </Loaded>
      {url !== undefined && /^https?:\/\//.test(url) && (
        <p>
          <a href={`${url.replace(/\/$/, '')}/ui/`} rel="noreferrer">
            Open the monitor
          </a>
        </p>
      )}
    </section>
  );
}

function Since({ watch: { monitor } }: { readonly watch: Watch }) {
  if (monitor?.answers !== false) return null;
  return (
    <>
      It stopped answering <Moment at={monitor.since} />.
    </>
  );
}

/** When a message last arrived, and the way to test or add an integration. */
function LastDelivery({ watch }: { readonly watch: Watch }) {
  if (watch.alerts === undefined) return null;
  const { canSend, lastDeliveredAt } = watch.alerts;
  return (
    <p>
      {lastDeliveredAt !== undefined ? (
        <>
          The last message or test arrived <Moment at={lastDeliveredAt} />.{' '}
        </>
      ) : (
        canSend > 0 && 'No message or test has arrived yet. '
      )}
      <IntegrationsLink watch={watch} />
    </p>
  );
}
