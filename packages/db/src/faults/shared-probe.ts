/** After this time a silent database counts as away for those that ask whether it answers, in milliseconds. */
export const answerMs = 2000;

/**
 * Returns what `probe` returns, or what `late` returns after `answerMs`. Callers share one probe until it ends, so that
 * many questions to a silent database use one of its connections.
 */
export function shareProbe<T>(probe: () => Promise<T>, late: () => T | Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= probe().finally(() => {
      running = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => Promise.resolve().then(late).then(resolve, reject), answerMs);
    });
    return Promise.race([running, over]).finally(() => clearTimeout(timer));
  };
}
