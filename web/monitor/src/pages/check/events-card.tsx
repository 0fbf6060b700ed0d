import type { CheckEvent } from '@certloop/contracts/browser';
import {
  background,
  type ListPage,
  Loaded,
  listOptions,
  live,
  placesUpTo,
  StateChip,
  useList,
  WaitingLine,
  WaitingPart,
} from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CheckStateChip, statusOrder, wordOf } from '../../check-states.js';
import { api } from '../../service.js';
import { ChosenPing } from './chosen-ping.js';
import { EventLine, PingEvent } from './ping-event.js';

const filters = [
  ['ping,flip,delivery', 'Everything'],
  ['ping', 'Pings'],
  ['flip', 'Changes'],
  ['delivery', 'Messages'],
] as const;

interface EventsOf {
  readonly projectId: string;
  readonly checkId: string;
  readonly pings: number;
  readonly status: string;
}

/** Pings, changes of status and messages of a check, newest first. */
export function EventsCard(props: EventsOf) {
  const [types, choose] = useState<string>(filters[0][0]);
  const { query, rows, more, isLoadingMore } = useEvents(props, types);
  return (
    <section className="cl-panel" aria-label="Events">
      <div className="cl-title">
        <h2>Events</h2>
        <fieldset className="cl-group cl-row" aria-label="Which events">
          {filters.map(([value, label]) => (
            <button
              key={value}
              type="button"
              className="cl-filter"
              aria-pressed={types === value}
              onClick={() => choose(value)}
            >
              {label}
            </button>
          ))}
        </fieldset>
      </div>
      <ChosenPing />
      <Loaded query={query} refresh={live()} waiting={<WaitingEvents />}>
        {() =>
          rows === undefined || rows.length === 0 ? (
            <p className="cl-dim">Nothing has happened yet.</p>
          ) : (
            <ol className="cl-events">
              {rows.map((event, place) => (
                <li key={`${event.kind} ${event.at} ${place}`}>
                  <Event event={event} />
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
      {more !== undefined && (
        <div className="cl-row">
          <Button variant="default" size="xs" loading={isLoadingMore} onClick={more}>
            Show earlier events
          </Button>
        </div>
      )}
    </section>
  );
}

/** In the place of the newest events. */
function WaitingEvents() {
  return (
    <WaitingPart>
      <ol className="cl-events" aria-hidden="true">
        {placesUpTo(6).map((place) => (
          <li key={place}>
            <WaitingLine />
            <span className="cl-chip">&nbsp;</span>
            <WaitingLine />
          </li>
        ))}
      </ol>
    </WaitingPart>
  );
}

/** The events of these types. They are loaded again after each ping and each change of status. */
function useEvents({ projectId, checkId, pings, status }: EventsOf, types: string) {
  const input = { params: { projectId, checkId }, query: { types, limit: '30' }, headers: background };
  const options = listOptions(api.listEvents, input, {
    pageOf: ({ body }): ListPage<CheckEvent> => ({ rows: body.events, total: undefined, next: body.next }),
    next: (before) => ({ before }),
  });
  const list = useList(options, live());
  const { refetch } = list.query;
  const newest = `${pings} ${status}`;
  const [loaded, setLoaded] = useState(newest);
  useEffect(() => {
    if (newest === loaded) return;
    setLoaded(newest);
    void refetch();
  }, [newest, loaded, refetch]);
  return list;
}

type EventOf<Kind extends CheckEvent['kind']> = Extract<CheckEvent, { readonly kind: Kind }>;

function Event({ event }: { readonly event: CheckEvent }) {
  switch (event.kind) {
    case 'flip':
      return <Flip event={event} />;
    case 'delivery':
      return <Delivery event={event} />;
    case 'ping':
      return <PingEvent event={event} />;
  }
}

function Flip({ event }: { readonly event: EventOf<'flip'> }) {
  return (
    <EventLine at={event.at} chip={<FlipChip to={event.to} />}>
      {event.reason === 'timeout'
        ? 'No ping came in time'
        : event.reason === 'fail'
          ? 'The job reported a failure'
          : `It was ${wordOf(event.from)} before`}
    </EventLine>
  );
}

function Delivery({ event }: { readonly event: EventOf<'delivery'> }) {
  return (
    <EventLine
      at={event.at}
      chip={
        <StateChip
          tone={event.outcome === 'failed' ? 'bad' : event.outcome === 'waiting' ? 'warn' : 'idle'}
          shape={event.outcome === 'failed' ? 'triangle' : event.outcome === 'waiting' ? 'clock' : 'check'}
          word="message"
        />
      }
    >
      {`“${wordOf(event.to)}” to ${event.channel}: ${event.outcome}`}
      {event.error !== undefined && <div className="cl-note">{event.error}</div>}
    </EventLine>
  );
}

function FlipChip({ to }: { readonly to: string }) {
  const status = statusOrder.find((one) => one === to);
  return status === undefined ? <span>{to}</span> : <CheckStateChip status={status} />;
}
