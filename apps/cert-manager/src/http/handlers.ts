import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';

/** Handlers of some operations of the API. */
export type SomeHandlers = Partial<Handlers<typeof certManagerContract, Caller>>;

/** Response 200 with this body. */
export function ok<Body>(body: Body) {
  return { status: 200, body } as const;
}

/** Response 201 with this body. */
export function created<Body>(body: Body) {
  return { status: 201, body } as const;
}
