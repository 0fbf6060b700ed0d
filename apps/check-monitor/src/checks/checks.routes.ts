import type {
  Call,
  checksContract,
  earlierFlipsContract,
  Flip,
  flipsContract,
  Handlers,
} from '@certloop/contracts';
import { describeFlip } from '../flips/flip-view.js';
import type { Caller } from '../projects/caller.js';
import type { ShownCheck } from './check.js';
import { filterOf } from './check-filter.js';
import { type Addresses, describeCheck, describeCheckFor } from './check-view.js';
import {
  type AssignedCheck,
  getCheck,
  listCheckFlips,
  listChecks,
  pauseCheck,
  removeCheck,
  resumeCheck,
} from './checks.service.js';
import { createCheck, reviseCheck, type WriteCheckDeps } from './write-check.service.js';

export interface ChecksRouteDeps extends WriteCheckDeps {
  readonly addresses: Addresses;
}

export function checksHandlers(deps: ChecksRouteDeps): Handlers<typeof checksContract, Caller> {
  const full = ({ check, channelIds }: AssignedCheck, { version }: Caller) =>
    describeCheck(check, channelIds, { addresses: deps.addresses, version, now: deps.clock.now() });
  const asSeenBy = (caller: Caller) => (assigned: AssignedCheck<ShownCheck>) =>
    describeCheckFor(caller, assigned, { addresses: deps.addresses, now: deps.clock.now() });
  return {
    listChecks: async ({ context, query }) => {
      const found = await listChecks(deps, context, filterOf(query));
      return { status: 200, body: { checks: found.map(asSeenBy(context)) } };
    },
    getCheck: async ({ context, params }) => {
      return { status: 200, body: asSeenBy(context)(await getCheck(deps, context, params.id)) };
    },
    createCheck: async ({ context }) => {
      const { isNew, ...assigned } = await createCheck(deps, context);
      return { status: isNew ? 201 : 200, body: full(assigned, context) };
    },
    updateCheck: async ({ context, params }) => {
      return { status: 200, body: full(await reviseCheck(deps, context, params.id), context) };
    },
    pauseCheck: async ({ context, params }) => {
      return { status: 200, body: full(await pauseCheck(deps, context, params.id), context) };
    },
    resumeCheck: async ({ context, params }) => {
      return { status: 200, body: full(await resumeCheck(deps, context, params.id), context) };
    },
    deleteCheck: async ({ context, params }) => {
      // its channels are no longer assigned by the time it is shown
      const gone = { check: await removeCheck(deps, context, params.id), channelIds: [] };
      return { status: 200, body: full(gone, context) };
    },
  };
}

/** Flips as version 3 lists them: a bare array. */
export function flipsHandlers(deps: ChecksRouteDeps): Handlers<typeof flipsContract, Caller> {
  return { listFlips: async (call) => ({ status: 200, body: await describedFlips(deps, call) }) };
}

/** Flips as versions 1 and 2 list them: within an object. */
export function earlierFlipsHandlers(deps: ChecksRouteDeps): Handlers<typeof earlierFlipsContract, Caller> {
  return { listFlips: async (call) => ({ status: 200, body: { flips: await describedFlips(deps, call) } }) };
}

async function describedFlips(
  deps: ChecksRouteDeps,
  {
    context,
    params,
    query,
  }: Pick<Call<typeof flipsContract.listFlips, Caller>, 'context' | 'params' | 'query'>,
): Promise<Flip[]> {
  const found = await listCheckFlips(deps, context, params.id, query);
  return found.map(describeFlip);
}
