import { keyedBy, Loaded, queryOptions, WaitingLines } from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { api } from '../../service.js';
import { PingEvent, type PingOfCheck } from './ping-event.js';

const route = getRouteApi('/inside/projects/$projectId/checks/$checkId');

/** The ping whose number the address has after `#`, however old it is; nothing without one. */
export function ChosenPing() {
  const place = route.useParams();
  const hash = useLocation({ select: ({ hash: text }) => text });
  const n = /^[1-9]\d{0,14}$/.test(hash) ? Number(hash) : undefined;
  const { queryKey, meta } = keyedBy(queryOptions(api.listAccountPings, { params: place }), n);
  const query = useQuery({
    queryKey,
    meta,
    queryFn: ({ signal }) => (n === undefined ? null : loadPing(place, n, signal)),
    enabled: n !== undefined,
  });
  if (n === undefined) return null;
  return (
    <section className="cl-column" aria-label={`Ping ${n}`}>
      <div className="cl-title">
        <h3>Ping #{n}</h3>
        <Link to="/projects/$projectId/checks/$checkId" params={place} resetScroll={false}>
          Hide it
        </Link>
      </div>
      <Loaded query={query} waiting={<WaitingLines count={1} />}>
        {(ping) =>
          ping === null ? (
            <p className="cl-dim">
              No ping #{n} is stored. It has not arrived yet, or newer pings have replaced it.
            </p>
          ) : (
            <ol className="cl-events">
              <li>
                <PingEvent event={ping} />
              </li>
            </ol>
          )
        }
      </Loaded>
    </section>
  );
}

/** The stored ping of a check with this number; null if there is none. */
async function loadPing(
  params: { readonly projectId: string; readonly checkId: string },
  n: number,
  signal: AbortSignal,
): Promise<PingOfCheck | null> {
  const { pings } = (await api.listAccountPings({ params, signal })).body;
  const date = pings.find((ping) => ping.n === n)?.date;
  if (date === undefined) return null;
  // events have the beginning of the output too; the bound is exact to the millisecond, and after the ping
  const query = { types: 'ping', before: new Date(Date.parse(date) + 2).toISOString(), limit: '50' };
  const { events } = (await api.listEvents({ params, query, signal })).body;
  return events.find((event): event is PingOfCheck => event.kind === 'ping' && event.n === n) ?? null;
}
