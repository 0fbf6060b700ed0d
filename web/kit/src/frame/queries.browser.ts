import {
  type DefaultOptions,
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
} from '@tanstack/react-query';
import { invalidateChanged } from '../operations/changes.browser.js';
import type { QueryFacts } from '../operations/query-options.js';
import { haveRightsChanged, heldRights } from '../service/held-rights.js';
import { isTemporary, sentenceOf, statusOf } from '../service/refusal.js';
import { noteRights } from '../service/rights-notice.browser.js';
import type { Session } from '../session/session.js';
import type { Me } from '../session/session-state.js';
import { wholeSentence } from '../times.js';
import { noteFailed, noteStored, noteTried, noteWrite } from '../unsaved/unsaved.browser.js';

/** Facts of a mutation that the kit needs. */
interface MutationFacts extends Record<string, unknown> {
  /** Paths of the resources that it changes, also if it fails half-way. */
  readonly changes?: readonly string[];
  /** Whether it stores nothing. */
  readonly isTrial?: boolean;
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: QueryFacts;
    mutationMeta: MutationFacts;
  }
}

const changedText = 'What you may do here has changed, and this page follows it.';

const defaultOptions: DefaultOptions = {
  queries: {
    retry: (failures, error) => failures < 2 && isTemporary(error) && statusOf(error) !== 429,
    staleTime: 5_000,
    refetchOnWindowFocus: true,
  },
  // what a user does is sent at once or fails; it is never sent later
  mutations: { networkMode: 'always' },
};

/**
 * Creates the memory of what pages load. After a 401 of any request the page asks for its session, and after a 403 it
 * loads all it shows again, with what the user may do: the rights may have changed since.
 */
export function createQueries<M extends Me>(session: Session<M>): QueryClient {
  // hashes of the queries whose latest answer was 403
  const refused = new Set<string>();
  const askAgain = async (error: unknown) => {
    const before = rightsIn(queries);
    await queries.invalidateQueries({ predicate: ({ queryHash }) => !refused.has(queryHash) });
    if (haveRightsChanged(before, rightsIn(queries))) {
      noteRights(`${changedText} The service refused: ${wholeSentence(sentenceOf(error))}`);
    }
  };
  const followRefusal = async (error: unknown, query: Query<unknown, unknown>) => {
    const me = await session.check(true);
    // another user may be signed in: the page then keeps what it shows to its own
    if (me === undefined && session.state().phase === 'ended') return;
    if (query.state.error !== error) return;
    // it is gone, or the user may not see it any more
    query.setState({ data: undefined });
    if (statusOf(error) === 404 || refused.has(query.queryHash)) return;
    refused.add(query.queryHash);
    await askAgain(error);
  };
  const doubts = createDoubts(session, (queryKey) => queries.invalidateQueries({ queryKey, exact: true }));
  const forms = new WeakMap<object, HTMLFormElement | undefined>();
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        const status = statusOf(error);
        if (status === 401) void doubts.follow(error, query);
        // it only asks whether a row is still there
        const isLookUp = query.meta?.isLookUp === true;
        if ((status === 403 || status === 404) && !isLookUp) void followRefusal(error, query);
      },
      onSuccess: (_, { queryHash }) => {
        refused.delete(queryHash);
        doubts.clear(queryHash);
      },
    }),
    mutationCache: new MutationCache({
      onMutate: (_, mutation) => void forms.set(mutation, noteWrite()),
      onSuccess: (_data, _variables, _result, mutation) => {
        const noteEnd = mutation.meta?.isTrial === true ? noteTried : noteStored;
        noteEnd(forms.get(mutation));
      },
      onError: (error, _variables, _result, mutation) => {
        noteFailed(forms.get(mutation));
        const status = statusOf(error);
        if (status === 401) void session.refused();
        // the client has asked for the rights of the session already
        if ((status === 403 || status === 404) && session.state().phase === 'in') void askAgain(error);
      },
      onSettled: async (_data, error, _variables, _result, mutation) => {
        const asked = invalidateChanged(queries, mutation.meta?.changes ?? []);
        // a refusal is shown at once
        if (error === null) await asked;
      },
    }),
    defaultOptions,
  });
  followSession(session, queries);
  return queries;
}

/** Returns what all that is loaded says about the rights of the user. */
function rightsIn(queries: QueryClient) {
  const all = queries.getQueryCache().getAll();
  return heldRights(all.map(({ queryHash, state }) => [queryHash, state.data]));
}

/** Asks a query again, once until it succeeds, whose 401 was of an older session. */
function createDoubts<M extends Me>(
  session: Session<M>,
  askAgain: (queryKey: readonly unknown[]) => Promise<unknown>,
) {
  const doubted = new Set<string>();
  return {
    follow: async (error: unknown, query: Query<unknown, unknown>) => {
      const isIn = await session.refused();
      const { queryHash, queryKey, state } = query;
      if (!isIn || state.error !== error || doubted.has(queryHash)) return;
      doubted.add(queryHash);
      await askAgain(queryKey);
    },
    clear: (queryHash: string) => void doubted.delete(queryHash),
  };
}

/** Forgets what a user has loaded when they sign out, and loads it again when their rights change. */
function followSession<M extends Me>(session: Session<M>, queries: QueryClient): void {
  let known: M | undefined;
  session.subscribe(() => {
    const state = session.state();
    if (state.phase === 'out') queries.clear();
    if (state.phase !== 'in') return;
    const before = known;
    known = state.me;
    if (before?.user.id !== known.user.id) noteRights(undefined);
    // nothing that one user has loaded is shown to the next
    if (before !== undefined && before.user.id !== known.user.id) queries.clear();
    else if (before === undefined) void queries.invalidateQueries();
    else if (JSON.stringify(before.rights) !== JSON.stringify(known.rights)) {
      noteRights(changedText);
      void queries.invalidateQueries();
    }
  });
}
