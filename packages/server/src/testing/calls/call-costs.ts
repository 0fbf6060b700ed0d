import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { Contract, Endpoint } from '@certloop/contracts';
import { excessMs } from '@certloop/contracts/testing';
import { watchStretches } from '../stretches.js';
import type { BodyKind, WorstBody } from './worst-bodies.js';

/** An operation of a service, to be called with the bodies that are the worst for it. */
export interface CostlyCall {
  readonly name: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Kind as which the operation reads a body; `json` when absent. */
  readonly kind?: BodyKind;
  /** The largest body that the operation parses, in bytes; 0 if it parses none. */
  readonly maxBytes: number;
  /** Further bodies, such as valid ones; a function where each may be sent only once. */
  readonly bodies?: readonly WorstBody[] | (() => Promise<readonly WorstBody[]>);
}

export interface CallCost {
  readonly name: string;
  /** Longest stretch of CPU time of the main thread, in milliseconds; undefined where the system does not report it. */
  readonly ms: number | undefined;
  /** Whether that is more than is allowed on this machine, as fast as it was then. */
  readonly isTooLong: boolean;
  /** How often each status was returned. */
  readonly statuses: Readonly<Record<number, number>>;
  /** How often each status was returned to those beside. */
  readonly besideStatuses: Readonly<Record<number, number>>;
}

export interface CallCosts {
  readonly costs: readonly CallCost[];
  /** Bytes that the heap and its buffers grew by from the first to the last call, after collections of garbage. */
  readonly memoryGrowth: number;
}

export interface CostOptions {
  readonly port: number;
  readonly calls: readonly CostlyCall[];
  /** Paths that others get meanwhile, one after the other. */
  readonly beside: readonly string[];
  /**
   * Longest stretch that is allowed, in CPU milliseconds of the machine on which bounds were chosen. A call that takes
   * longer is measured again, since compiling code counts too.
   */
  readonly allowedMs: number;
}

export interface CallRequest extends Omit<CostlyCall, 'name' | 'bodies'> {
  readonly bodies: readonly WorstBody[];
  readonly port: number;
  readonly beside: readonly string[];
}

export interface CallResponse {
  readonly statuses: Record<number, number>;
  readonly besideStatuses: Record<number, number>;
}

/** The operations of a contract below `base`, with a value for each parameter of a path. */
export function callsOf(
  contract: Contract,
  base: string,
  describe: (operation: string, endpoint: Endpoint) => Omit<CostlyCall, 'name' | 'method' | 'path'>,
  parameterOf: (parameter: string, operation: string) => string = () =>
    '00000000-0000-4000-8000-000000000000',
): CostlyCall[] {
  return Object.entries(contract).map(([operation, endpoint]) => ({
    name: operation,
    method: endpoint.method,
    path: base + endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(name, operation)),
    ...describe(operation, endpoint),
  }));
}

/**
 * Calls each operation with all of its bodies, ten at a time, from another thread, and measures how long the main
 * thread, where the service runs, works without a turn for those beside.
 */
export async function measureCalls({ calls, allowedMs, ...where }: CostOptions): Promise<CallCosts> {
  const worker = new Worker(new URL('./call-thread.js', import.meta.url));
  const call = async (one: CostlyCall): Promise<Omit<CallCost, 'isTooLong'>> => {
    const { name, bodies: given = [], ...request } = one;
    const bodies = typeof given === 'function' ? await given() : given;
    worker.postMessage({ ...where, ...request, bodies } satisfies CallRequest);
    // copying the bodies is no work of the service
    const watch = watchStretches();
    const [response] = (await once(worker, 'message')) as [CallResponse];
    const ms = await watch.stop();
    return { name, ms, ...response };
  };
  try {
    // the first requests compile what all of them run
    for (const one of calls.slice(0, 3)) await call(one);
    const before = await memoryBytes();
    const costs: CallCost[] = [];
    for (const one of calls) {
      const measured: Omit<CallCost, 'isTooLong'>[] = [];
      const excess = await excessMs(allowedMs, async () => {
        const cost = await call(one);
        measured.push(cost);
        return cost.ms;
      });
      const [least] = measured.toSorted((first, second) => (first.ms ?? 0) - (second.ms ?? 0));
      if (least !== undefined) costs.push({ ...least, isTooLong: excess !== undefined });
    }
    // its connections end with it, and what they hold
    await worker.terminate();
    return { costs, memoryGrowth: (await memoryBytes()) - before };
  } finally {
    await worker.terminate();
  }
}

/** Writes the costs as a table to `run/costs`, the most costly first. */
export function writeCosts(name: string, costs: readonly CallCost[]): void {
  const rows = costs
    .toSorted((one, other) => (other.ms ?? 0) - (one.ms ?? 0))
    .map(({ name, ms, statuses }) => `| ${name} | ${ms?.toFixed(1) ?? '?'} | ${countsOf(statuses)} |`);
  const head = ['| Operation | Longest stretch, CPU ms | Responses |', '|---|---|---|'];
  mkdirSync(folder, { recursive: true });
  writeFileSync(new URL(`${name}.md`, folder), `${[...head, ...rows].join('\n')}\n`);
}

const folder = new URL('../../../../../../run/costs/', import.meta.url);

function countsOf(statuses: Readonly<Record<number, number>>): string {
  const counts = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
  return counts.join(', ');
}

/** Bodies of requests are buffers, which are no part of the heap. */
async function memoryBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // buffers are freed, and connections closed, in a turn after the collection that found them
  for (let turns = 0; turns < 3; turns += 1) {
    collect();
    await setImmediate();
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/**
 * Returns what of the costs is too much: stretches that are too long, unexpected errors, and others who were not
 * served.
 */
export function faultsOfCosts({ costs, memoryGrowth }: CallCosts): string[] {
  const faults = costs.flatMap(({ name, ms, isTooLong, statuses, besideStatuses }) => [
    ...(isTooLong ? [`${name} takes ${ms} ms`] : []),
    ...(statuses[500] === undefined ? [] : [`${name} is answered with 500`]),
    ...(Object.keys(besideStatuses).some((status) => status !== '200')
      ? [`beside ${name}: ${JSON.stringify(besideStatuses)}`]
      : []),
  ]);
  return memoryGrowth > maxGrowth ? [...faults, `the memory grew by ${memoryGrowth} bytes`] : faults;
}

// the worst bodies of ten calls, of which none may stay
const maxGrowth = 26_214_400;
