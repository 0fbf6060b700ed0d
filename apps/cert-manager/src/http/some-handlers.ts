import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';

/** Handlers of some operations of the API. */
export type SomeHandlers = Partial<Handlers<typeof certManagerContract, Caller>>;
