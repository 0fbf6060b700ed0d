import type { RequestListener } from 'node:http';
import type { Logger } from '@certloop/server';
import type { State } from './state.store.js';

/**
 * The handler, with the state on disk before each answer ends. Where it cannot be written there is no answer: the
 * connection breaks, and what was noted is written with the next one.
 */
export function commitBeforeAnswers(handler: RequestListener, state: State, logger: Logger): RequestListener {
  return (request, response) => {
    const end = response.end;
    response.end = ((...args: Parameters<typeof end>) => {
      try {
        state.commit();
      } catch (error) {
        logger.error({ error }, 'state.write_failed');
        response.destroy();
        return response;
      }
      return end.apply(response, args);
    }) as typeof end;
    handler(request, response);
  };
}
