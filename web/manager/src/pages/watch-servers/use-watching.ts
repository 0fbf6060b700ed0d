import { AppError, readServerLines, type ServerLine, type WatchedServer } from '@certloop/contracts/browser';
import { pauseFor, resourceOf } from '@certloop/web-kit';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../service.js';

/** A line of the list, and what came of it. */
export interface WatchedLine extends ServerLine {
  readonly result: WatchedServer | undefined;
}

export interface Watching {
  readonly text: string;
  readonly type: (text: string) => void;
  readonly lines: ReturnType<typeof readServerLines>;
  /** Those that were sent; empty before. */
  readonly rows: readonly WatchedLine[];
  readonly start: () => void;
  readonly isRunning: boolean;
  /** Seconds that the service asked to wait. */
  readonly wait: number | undefined;
  readonly error: Error | undefined;
}

// the service takes no more in one request
const atOnce = 100;
const usualWaitSeconds = 10;

/** The pasted list, and the requests that watch its servers, one after the other. */
export function useWatching(spaceId: string): Watching {
  const [text, setText] = useState('');
  const [rows, setRows] = useState<readonly WatchedLine[]>([]);
  const [wait, setWait] = useState<number>();
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const lines = readServerLines(text);
  const store = (results: ReadonlyMap<number, WatchedServer>) =>
    setRows((before) => before.map((row) => ({ ...row, result: results.get(row.line) ?? row.result })));
  const sending = useMutation({
    mutationFn: async (servers: readonly ServerLine[]) => {
      for (let start = 0; start < servers.length && !isLeft.current; start += atOnce) {
        const some = servers.slice(start, start + atOnce);
        const results = await waitingOut(() => watchSome(api, spaceId, some), setWait, isLeft);
        store(new Map(some.flatMap(({ line }, index) => (results[index] ? [[line, results[index]]] : []))));
      }
    },
    meta: { changes: [resourceOf(api.listFqdns, { params: { id: spaceId } })] },
  });
  return {
    text,
    type: (typed) => {
      setText(typed);
      // the results were of another list
      setRows([]);
      sending.reset();
    },
    lines,
    rows,
    start: () => {
      const open = rows.filter(({ result }) => result === undefined);
      if (rows.length === 0) setRows(lines.servers.map((server) => ({ ...server, result: undefined })));
      sending.mutate(rows.length === 0 ? lines.servers : open);
    },
    isRunning: sending.isPending,
    wait,
    error: sending.error ?? undefined,
  };
}

/** Sends at most 100 servers. */
export async function watchSome(
  to: typeof api,
  spaceId: string,
  lines: readonly ServerLine[],
): Promise<readonly WatchedServer[]> {
  const servers = lines.slice(0, atOnce).map(({ host, port, protocol, fqdn }) => ({
    host,
    ...(port !== undefined && { port }),
    ...(protocol !== undefined && { protocol }),
    ...(fqdn !== undefined && { fqdn }),
  }));
  return (await to.watchServers({ params: { spaceId }, body: { servers } })).body.servers;
}

/** The result of a call; a response of 429 is waited out as it asks. */
async function waitingOut<T>(
  call: () => Promise<T>,
  show: (seconds: number | undefined) => void,
  isLeft: { readonly current: boolean },
): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'too_many_requests' || isLeft.current) throw error;
      const asked = Number(error.headers['Retry-After'] ?? usualWaitSeconds);
      const seconds = Number.isFinite(asked) && asked > 0 ? asked : usualWaitSeconds;
      show(seconds);
      await pauseFor(seconds * 1000);
      show(undefined);
    }
  }
}
