import type { CheckEvent } from '@certloop/contracts/browser';
import { lengthOf, type Mark, Moment, StateChip, serviceUrl } from '@certloop/web-kit';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

const route = getRouteApi('/inside/projects/$projectId/checks/$checkId');

export type PingOfCheck = Extract<CheckEvent, { readonly kind: 'ping' }>;

const other: Mark = { tone: 'idle', shape: 'circle', word: 'log' };
const marks: Readonly<Record<string, Mark>> = {
  success: { tone: 'ok', shape: 'check', word: 'success' },
  fail: { tone: 'bad', shape: 'triangle', word: 'failure' },
  start: { tone: 'active', shape: 'clock', word: 'start' },
  ign: { tone: 'idle', shape: 'circle', word: 'ignored' },
};

/** A ping with its number, which is a link to it, and the beginning of its output. */
export function PingEvent({ event }: { readonly event: PingOfCheck }) {
  const { projectId, checkId } = route.useParams();
  const facts = [
    event.exitStatus === undefined || event.type === 'start' ? undefined : `exit status ${event.exitStatus}`,
    event.duration === undefined ? undefined : `took ${lengthOf(event.duration)}`,
    event.method,
    event.remoteAddr === undefined ? undefined : `from ${event.remoteAddr}`,
  ];
  const body = `${serviceUrl()}/api/account/projects/${projectId}/checks/${checkId}/pings/${event.n}/body`;
  return (
    <EventLine at={event.at} chip={<StateChip {...(marks[event.type] ?? other)} />}>
      <Link
        to="/projects/$projectId/checks/$checkId"
        params={{ projectId, checkId }}
        hash={String(event.n)}
        resetScroll={false}
      >
        #{event.n}
      </Link>{' '}
      {facts.filter((fact) => fact !== undefined).join(', ')}
      {event.ua !== undefined && <div className="cl-dim cl-ua">{event.ua}</div>}
      {event.preview !== undefined && (
        <>
          <pre className="cl-code">{event.preview}</pre>
          <a href={body} target="_blank" rel="noreferrer">
            Whole output of #{event.n}
          </a>
        </>
      )}
    </EventLine>
  );
}

/** One event: when it was, what it was, and what is known about it. */
export function EventLine({
  at,
  chip,
  children,
}: {
  readonly at: string;
  readonly chip: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <>
      <span className="cl-when">
        <Moment at={at} />
      </span>
      <span>{chip}</span>
      <div className="cl-anywhere">{children}</div>
    </>
  );
}
