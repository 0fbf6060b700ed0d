import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useRef } from 'react';
import { useNow } from '../clock.browser.js';
import { useDisplay } from '../display/display.browser.js';
import type { live } from '../service/activity.browser.js';
import { isTemporary, sentenceOf, statusOf } from '../service/refusal.js';
import { exactTime, relativeTime, wholeSentence } from '../times.js';
import { ErrorPanel } from './error-panel.js';

/** Names the page in the title of the window. */
export function useTitle(page: string, console: string): void {
  useLayoutEffect(() => {
    document.title = `${page} – CertLoop ${console}`;
  }, [page, console]);
}

/** Members of a query that count here, of one page or of many. */
interface LoadedQuery<Data> {
  readonly data: Data | undefined;
  readonly dataUpdatedAt: number;
  readonly errorUpdatedAt: number;
  readonly isError: boolean;
  /** Whether it waits for this browser to be online again. */
  readonly isPaused: boolean;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
}

/** Whether a strip above says already that the service does not answer. */
const IsOutageShown = createContext(false);

/**
 * Shows what a query has loaded. The last data stays while a later load fails, below a strip that says so; with
 * `refresh`, by which the query is loaded again and again, also when the next attempt is.
 */
export function Loaded<Data>({
  query,
  refresh,
  waiting = <Waiting />,
  children,
}: {
  readonly query: LoadedQuery<Data>;
  readonly refresh?: ReturnType<typeof live>;
  /** Stands there until the data is loaded, in the shape of what will. */
  readonly waiting?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) {
  const isShownAbove = useContext(IsOutageShown);
  const isOffline = query.isPaused && refresh !== undefined;
  const isFailing = query.isError || isOffline;
  useRecovery(refresh !== undefined && isFailing);
  if (query.data === undefined) {
    if (query.isError) return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
    return waiting;
  }
  return (
    <>
      {isFailing && !isShownAbove && (
        <p className="cl-strip" role="status">
          As of {exactTime(new Date(query.dataUpdatedAt).toISOString())}.{' '}
          {isOffline ? 'This browser is offline.' : <Failure query={query} refresh={refresh} />}
        </p>
      )}
      <IsOutageShown value={isFailing || isShownAbove}>{children(query.data)}</IsOutageShown>
    </>
  );
}

/** Loads the other parts of the page again as soon as this one is loaded again. */
function useRecovery(isFailing: boolean): void {
  const queries = useQueryClient();
  const wasFailing = useRef(isFailing);
  useEffect(() => {
    const isOver = wasFailing.current && !isFailing;
    wasFailing.current = isFailing;
    if (isOver) {
      void queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    }
  }, [isFailing, queries]);
}

/** Why the last load failed, and when the next one is. */
function Failure({
  query: { error, errorUpdatedAt, dataUpdatedAt },
  refresh,
}: {
  readonly query: LoadedQuery<unknown>;
  readonly refresh: ReturnType<typeof live> | undefined;
}) {
  if (refresh === undefined) return wholeSentence(sentenceOf(error));
  const isAway = isTemporary(error) && statusOf(error) === undefined;
  const pauseMs = refresh.refetchInterval({ state: { dataUpdatedAt, errorUpdatedAt } });
  return (
    <>
      {isAway ? 'The service does not answer since then.' : wholeSentence(sentenceOf(error))}{' '}
      <NextTry at={errorUpdatedAt + pauseMs} />
    </>
  );
}

/** Counts down to the next attempt. */
export function NextTry({ at }: { readonly at: number }) {
  const seconds = Math.max(0, Math.ceil((at - useNow(1_000)) / 1_000));
  return (
    // a count down each second is nothing to be read aloud
    <span aria-hidden="true">{seconds === 0 ? 'Trying again.' : `Trying again in ${seconds} s.`}</span>
  );
}

/** Stands there until something is loaded: lines in the place of its own. */
export function Waiting() {
  return (
    <div className="cl-waiting" role="status" aria-label="Loading">
      <span />
      <span />
      <span />
    </div>
  );
}

/** Says what an empty list is for, and what to do next. */
export function EmptyState({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="cl-panel cl-empty">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A moment relative to now; exact with its zone on hover and to screen readers. */
export function Moment({ at }: { readonly at: string }) {
  const now = useNow();
  // its zone may change
  useDisplay();
  const exact = exactTime(at);
  return (
    <time dateTime={at} title={exact}>
      {relativeTime(at, now)}
    </time>
  );
}
