import { type ReactNode, useEffect } from 'react';
import { useNow } from './clock.browser.js';
import { ErrorPanel } from './error-panel.js';
import { useDisplay } from './frame/display.browser.js';
import { sentenceOf } from './service/refusal.js';
import { exactTime, relativeTime } from './times.js';

/** Names the page in the title of the window. */
export function useTitle(page: string, console: string): void {
  useEffect(() => {
    document.title = `${page} – CertLoop ${console}`;
  }, [page, console]);
}

/** What of a query counts here, of one page or of many. */
interface LoadedQuery<Data> {
  readonly data: Data | undefined;
  readonly dataUpdatedAt: number;
  readonly isError: boolean;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
}

/** What a query has loaded. The last data stays while a later load fails, below a strip that says so. */
export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: LoadedQuery<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.data === undefined) {
    if (query.isError) return <ErrorPanel error={query.error} retry={() => void query.refetch()} />;
    return <Waiting />;
  }
  return (
    <>
      {query.isError && (
        <p className="cl-strip" role="status">
          As of {exactTime(new Date(query.dataUpdatedAt).toISOString())}. {sentenceOf(query.error)}
        </p>
      )}
      {children(query.data)}
    </>
  );
}

/** What stands there until something is loaded: lines in the place of its own. */
export function Waiting() {
  return (
    <div className="cl-waiting" role="status" aria-label="Loading">
      <span />
      <span />
      <span />
    </div>
  );
}

/** What a list is for, where nothing is in it, with what to do next. */
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
