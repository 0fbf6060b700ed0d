import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { readableSpaces } from '../../access/permissions.js';

/** Answers that stay good for some time; those who ask for the same at once share one. */
export interface RecentAnswers {
  read<T>(key: string, find: () => Promise<T>): Promise<T>;
}

const maxAnswers = 100;

export function createRecentAnswers(clock: Clock, goodForMs: number): RecentAnswers {
  const answers = new Map<string, { readonly until: number; readonly answer: Promise<unknown> }>();
  return {
    read: <T>(key: string, find: () => Promise<T>): Promise<T> => {
      const now = clock.now().getTime();
      const known = answers.get(key);
      // a clock that was set back makes no answer good for longer
      if (known !== undefined && now < known.until && known.until <= now + goodForMs)
        return known.answer as Promise<T>;
      if (answers.size >= maxAnswers) answers.clear();
      const answer = find();
      answers.set(key, { until: now + goodForMs, answer });
      answer.catch(() => answers.delete(key));
      return answer;
    },
  };
}

/** The answer for the key; callers who may read all spaces share one, and others get their own. */
export function sharedOrOwn<T>(
  recent: RecentAnswers,
  caller: Caller,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  return readableSpaces(caller) === 'all' ? recent.read(key, read) : read();
}
