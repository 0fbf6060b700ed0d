import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import type { RenewalStep } from '../../src/renewals/queue/renew-certificate.service.js';

/** What a process of its own does with its life. */
export interface Life {
  readonly databaseUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly now: Date;
  readonly work:
    | 'renewals'
    | 'requests'
    | 'notices'
    | 'probes'
    /** One call with its headers and a body. */
    | {
        readonly path: string;
        readonly auth: Readonly<Record<string, string>>;
        readonly body: object | string;
      };
  /** Step of a renewal, or moment of an order, at which it kills itself, beyond all catching. */
  readonly deadly?: RenewalStep | OrderMoment;
  /** Transaction at which it kills itself, counted from 1 after its start; it exits if its work has ended before. */
  readonly deadlyTransaction?: DeadlyTransaction;
}

/** A transaction of a process, and whether the process ends before it begins or after its commit. */
export interface DeadlyTransaction {
  readonly number: number;
  readonly when: 'before' | 'after';
}

// bundled by the build, as the services are
const program = new URL('../../service/dying-process.fixture.js', import.meta.url);

/** A process that waits for its life, so that the next test need not wait until it has loaded the app. */
let waiting: ChildProcess | undefined;

/** Begins a process that works until it dies, or is killed. */
export function beginLife(life: Life): ChildProcess {
  const child = waiting ?? startProcess();
  waiting = startProcess();
  child.ref();
  child.stdin?.end(JSON.stringify(life));
  return child;
}

/** One that no test takes ends with this process, whose end closes its standard input. */
function startProcess(): ChildProcess {
  const child = spawn(process.execPath, [fileURLToPath(program)], {
    env: { PATH: process.env['PATH'] ?? '' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.unref();
  for (const stream of [child.stdin, child.stderr]) (stream as Socket | null)?.unref();
  return child;
}

/** By which signal a process ended, or what it said instead. */
export async function deathOf(child: ChildProcess): Promise<string> {
  const [stderr, [code, signal]] = await Promise.all([
    child.stderr === null ? '' : text(child.stderr),
    once(child, 'exit') as Promise<[number | null, string | null]>,
  ]);
  return signal ?? `exit code ${code}: ${stderr}`;
}
