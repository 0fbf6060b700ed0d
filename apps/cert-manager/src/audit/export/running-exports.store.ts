import { AppError } from '@certloop/contracts';

/** The exports of this process that are under way. */
export interface RunningExports {
  /** Notes that a user has begun one, and gives what notes its end. Throws too_many_requests while another one runs. */
  begin(userId: string): () => void;
}

export function createRunningExports(): RunningExports {
  const users = new Set<string>();
  return {
    begin: (userId) => {
      if (users.has(userId)) throw alreadyRuns();
      users.add(userId);
      return () => void users.delete(userId);
    },
  };
}

function alreadyRuns(): AppError {
  return new AppError(
    'too_many_requests',
    'an export of yours is under way: wait for its end, or end it by closing its connection',
    { code: 'export_running', title: 'An export is under way', headers: { 'Retry-After': '10' } },
  );
}

/** The pieces; `end` is called once no more of them is read, also if none ever was. */
export function followPieces<T>(pieces: AsyncGenerator<T>, end: () => void): AsyncIterable<T> {
  const ending = async (step: Promise<IteratorResult<T>>) => {
    try {
      const result = await step;
      if (result.done === true) end();
      return result;
    } catch (error) {
      end();
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => ending(pieces.next()),
      return: () => ending(pieces.return(undefined)),
    }),
  };
}
