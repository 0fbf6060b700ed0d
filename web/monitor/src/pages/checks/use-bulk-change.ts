import type { CheckChange, CheckChangeResult } from '@certloop/contracts/browser';
import {
  type BulkProgress,
  type BulkRules,
  invalidateChanged,
  requestOf,
  sendParts,
  startOf,
  useCountdown,
} from '@certloop/web-kit';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { projectResource, statesResource } from '../../resources.js';
import { api } from '../../service.js';

/** How far a change of checks has come. */
type CheckProgress = BulkProgress<CheckChange, CheckChangeResult>;

/** How the results of changes of checks add up. */
const checkRules: BulkRules<CheckChangeResult> = {
  none: { matched: 0, changed: 0, unchanged: 0, skipped: 0, results: [] },
  add: (one, other) => ({
    matched: one.matched + other.matched,
    changed: one.changed + other.changed,
    unchanged: one.unchanged + other.unchanged,
    skipped: one.skipped + other.skipped,
    results: [...one.results, ...other.results],
  }),
  nextOf: ({ next }) => next,
};

/** How long a change can be undone. */
const undoSeconds = 8;

/** A change that is done, with the result. */
export interface DoneChange {
  readonly change: CheckChange;
  readonly result: CheckChangeResult;
}

/** Changes of many checks of a project, one after the other. One that has failed is continued where it stopped. */
export function useBulkChange(projectId: string) {
  const queries = useQueryClient();
  const [done, setDone] = useState<DoneChange>();
  const [handled, setHandled] = useState(0);
  const stopped = useRef<CheckProgress>(undefined);
  const left = useCountdown(done === undefined ? undefined : undoSeconds, done);
  const mutation = useMutation({
    mutationKey: ['bulk', projectId],
    mutationFn: (change: CheckChange) =>
      sendParts(
        startOf(change, stopped.current, checkRules),
        checkRules,
        async (body) => (await api.changeChecks({ params: { projectId }, body })).body,
        (progress) => {
          stopped.current = progress.isDone ? undefined : progress;
          setHandled(progress.sum.matched);
        },
      ),
    onSuccess: (result, change) => setDone({ change, result }),
    // also after a failure, which leaves what was changed before it
    onSettled: (_result, _error, { ids, action }) => {
      // rows of a pause stay in their places, so that none jumps under the pointer
      const isOfRows = ids !== undefined && (action === 'pause' || action === 'resume');
      return invalidateChanged(queries, [isOfRows ? statesResource(projectId) : projectResource(projectId)]);
    },
  });
  const running = mutation.isPending ? mutation.variables : undefined;
  const changingId = running?.ids?.length === 1 ? running.ids[0] : undefined;
  const { mutate: run, reset } = mutation;
  return {
    run,
    /** Part of it for the rows, the same as long as they show the same. */
    ofRows: useMemo(() => ({ run, isChanging: (id: string) => id === changingId }), [run, changingId]),
    /** The first request of a change. */
    ask: (to: typeof api, change: CheckChange) =>
      to.changeChecks({ params: { projectId }, body: requestOf(startOf(change, undefined, checkRules)) }),
    isPending: mutation.isPending,
    error: mutation.error,
    /** The change that has failed. */
    failed: mutation.isError ? mutation.variables : undefined,
    /** Checks that are handled already, of the change under way or of the one that failed. */
    handled,
    done,
    dismiss: () => {
      setDone(undefined);
      stopped.current = undefined;
      reset();
    },
    /** Lets the next change start again, also if it is the one that failed; one under way goes on. */
    forgetFailed: useCallback(() => {
      stopped.current = undefined;
      if (queries.isMutating({ mutationKey: ['bulk', projectId] }) === 0) reset();
    }, [queries, projectId, reset]),
    /** Takes the last change back; undefined where it cannot be, or too late. */
    undo: left > 0 ? undoOf(done) : undefined,
  };
}

export type BulkChange = ReturnType<typeof useBulkChange>;

const opposites: Partial<Record<CheckChange['action'], CheckChange['action']>> = {
  pause: 'resume',
  'add-tags': 'remove-tags',
  'remove-tags': 'add-tags',
  'add-channels': 'remove-channels',
  'remove-channels': 'add-channels',
};

/**
 * The change that takes another back: of exactly the checks that it changed. Undefined where something is lost, or where
 * it is not known what each check had before.
 */
export function undoOf(done: DoneChange | undefined): CheckChange | undefined {
  if (done === undefined) return undefined;
  const { change, result } = done;
  const action = opposites[change.action];
  const isKnown = result.results.length === result.matched;
  const words = change.tags?.trim().split(/\s+/) ?? change.channels ?? [];
  const ids = result.results.flatMap(({ id, outcome }) => (outcome === 'changed' ? [id] : []));
  if (action === undefined || !isKnown || words.length > 1 || ids.length === 0) return undefined;
  const { tags, channels } = change;
  return { action, ids, ...(tags !== undefined && { tags }), ...(channels !== undefined && { channels }) };
}
