import type { Response } from 'express';

/** Why work ends: its caller has gone. It is no fault, and there is no one to answer. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';

  constructor() {
    super('the caller has gone away');
  }
}

/** Signal that is aborted with CallerGone when the connection closes before the answer is sent. */
export function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  const end = () => {
    if (!response.writableFinished) controller.abort(new CallerGone());
  };
  if (response.closed) end();
  else response.once('close', end);
  return controller.signal;
}
