import { AppError, type Fix } from '@certloop/contracts/browser';
import { fixOf, invalidateChanged, isTemporary, sentenceOf, statusOf } from '@certloop/web-kit';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';

/** How far a row is of a list whose rows are a request each. */
export type RowState<Result> =
  | { readonly status: 'running' }
  | { readonly status: 'done'; readonly result: Result }
  | { readonly status: 'refused'; readonly message: string; readonly fix?: Fix | undefined };

export interface RowWork<Row, Result> {
  /** State of each row that has begun, by its key. */
  readonly states: ReadonlyMap<string, RowState<Result>>;
  readonly isRunning: boolean;
  /** Why it stopped before its end, so that it can go on later. */
  readonly stop: string | undefined;
  /** Works on the rows that are neither done nor refused. */
  readonly run: (rows: readonly Row[]) => void;
}

const atOnce = 4;

/**
 * Works on rows, four at a time. A row that is refused does not stop the others; without an answer, or once the session
 * has ended, no further row begins, and those without a result can be run again.
 */
export function useRowWork<Row, Result>(
  keyOf: (row: Row) => string,
  work: (row: Row) => Promise<Result>,
  /** Paths of the resources that the work changes. */
  changes: readonly string[],
): RowWork<Row, Result> {
  const queries = useQueryClient();
  const [states, set] = useStates<Result>();
  const [isRunning, setRunning] = useState(false);
  const [stop, setStop] = useState<string>();
  const isStopped = useRef(false);
  // as a mutation it waits while the service is known to be away, and ends the session of the page at a 401
  const { mutateAsync } = useMutation({ mutationFn: work });
  // a page that was left begins no further row
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );
  const workOn = async (row: Row) => {
    const key = keyOf(row);
    set(key, { status: 'running' });
    try {
      set(key, { status: 'done', result: await mutateAsync(row) });
    } catch (error) {
      if (!mayHelpLater(error)) {
        set(key, { status: 'refused', message: sentenceOf(error), fix: fixOf(error) });
        return;
      }
      isStopped.current = true;
      setStop(sentenceOf(error));
      set(key, undefined);
    }
  };
  const run = async (rows: readonly Row[]) => {
    const queue = rows.filter((row) => states.get(keyOf(row)) === undefined);
    isStopped.current = false;
    setStop(undefined);
    setRunning(true);
    const workOff = async () => {
      for (let row = queue.shift(); row !== undefined; row = isStopped.current ? undefined : queue.shift()) {
        await workOn(row);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, workOff));
    setRunning(false);
    // once no row is under way any more
    void invalidateChanged(queries, changes);
  };
  return {
    states,
    isRunning,
    stop,
    run: (rows) => void run(rows),
  };
}

function useStates<Result>() {
  const [states, setStates] = useState<ReadonlyMap<string, RowState<Result>>>(new Map());
  const set = (key: string, state: RowState<Result> | undefined) =>
    setStates((before) => {
      const next = new Map(before);
      if (state === undefined) next.delete(key);
      else next.set(key, state);
      return next;
    });
  return [states, set] as const;
}

/** Whether the service did not answer or could not, or asks for a new session. Anything else is about the row. */
function mayHelpLater(error: unknown): boolean {
  return error instanceof AppError && (isTemporary(error) || statusOf(error) === 401);
}
