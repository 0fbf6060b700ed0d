import { randomUUID } from 'node:crypto';

const plainWord = /^[\w.:-]{1,64}$/;

/** Id of a request: its X-Request-Id if that is a plain word of up to 64 characters, else a new uuid. */
export function requestIdFrom(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' && plainWord.test(header) ? header : randomUUID();
}
