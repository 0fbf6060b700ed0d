import { AppError } from '@certloop/contracts';

/**
 * Returns what `work` returns. Throws an unavailable refusal when that takes longer than `ms`; the work goes on then,
 * and what happens to it is no one's concern any more. No limit without `ms`.
 */
export async function answerInTime<T>(work: Promise<T>, ms: number | undefined): Promise<T> {
  if (ms === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate(ms)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLate(ms: number): AppError {
  return new AppError(
    'unavailable',
    `there is no answer within ${ms / 1000} s; what was asked for may still be done`,
    {
      code: 'answer_too_late',
      title: 'No answer in time',
    },
  );
}
