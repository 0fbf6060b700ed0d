import { Loaded, Moment, StateChip, WaitingLines } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { stateQuery } from '../../service.js';
import { useMonitorContact } from './watch-state.js';

/** Who watches the certificates, and whether that works. */
export function WatchCard() {
  const contact = useMonitorContact();
  const url = useQuery(stateQuery).data?.monitorUrl;
  return (
    <section className="cl-panel" aria-label="Who watches">
      <h2>Who watches</h2>
      <Loaded query={contact} waiting={<WaitingLines count={3} />}>
        {(monitor) =>
          monitor === null ? (
            <>
              <div className="cl-row">
                <StateChip tone="warn" shape="triangle">
                  not watched
                </StateChip>
              </div>
              <p>
                No monitor has answered this service since it started, so it alerts no one. Set
                CHECK_MONITOR_URL to have every certificate watched.
              </p>
            </>
          ) : monitor.answers ? (
            <>
              <div className="cl-row">
                <StateChip tone="ok" shape="check">
                  the monitor answers
                </StateChip>
              </div>
              <p>
                Each certificate has a check in the monitor, which falls when a renewal is late. People are
                notified only if the project there has an integration that works: open the monitor to test it.
              </p>
            </>
          ) : (
            <>
              <div className="cl-row">
                <StateChip tone="bad" shape="octagon">
                  the monitor does not answer
                </StateChip>
              </div>
              <p>
                It stopped answering <Moment at={monitor.since} />. Until it is back, no one is alerted when a
                renewal fails.
              </p>
            </>
          )
        }
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
