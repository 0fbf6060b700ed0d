import { findNotServed } from './check-served.js';
import { areCopiesStale, writeCopies } from './copies.js';
import type { Hook } from './hook-words.js';
import type { Machine } from './machine.js';
import { earlierPair, type FailedStage, type OnDisk, retreatAfter } from './next-step.js';
import { markServed, type StoredPair, switchCurrent, unmarkServed } from './pair-folders.js';
import { runHook } from './run-hook.js';

/** The server does not take a certificate. */
export class ActivationFailed extends Error {
  readonly stage: FailedStage;

  constructor(stage: FailedStage, message: string) {
    super(message);
    this.stage = stage;
  }
}

type Activated = Pick<StoredPair, 'leaf'>;
type Serving = Pick<Machine, 'io' | 'fqdn' | 'dir' | 'test' | 'reload' | 'verify'>;

/** Tests the configuration of the server, reloads it and checks what it serves. Throws ActivationFailed. */
export async function activateServer(machine: Serving, pair: Activated): Promise<void> {
  if (machine.test !== undefined) await runStage(machine, 'test', machine.test, pair);
  await reloadServer(machine, pair);
}

async function reloadServer(machine: Serving, pair: Activated): Promise<void> {
  if (machine.reload !== undefined) await runStage(machine, 'reload', machine.reload, pair);
  if (machine.verify === undefined) return;
  machine.io.atStep?.('verify');
  const other = await findNotServed(machine.io, machine.verify, pair.leaf);
  if (other !== undefined)
    throw new ActivationFailed('verify', `the server does not serve the certificate after 30 s: ${other}`);
}

async function runStage(
  { io, fqdn, dir }: Serving,
  stage: 'test' | 'reload',
  hook: Hook,
  { leaf }: Activated,
): Promise<void> {
  io.atStep?.(stage);
  const { succeeded, ended, output } = await runHook(io, hook, {
    CERTLOOP_FQDN: fqdn,
    CERTLOOP_DIR: dir,
    CERTLOOP_SERIAL: leaf.serialNumber,
    CERTLOOP_NOT_AFTER: leaf.notAfter.toISOString(),
  });
  if (output !== '') io.err.write(output.endsWith('\n') ? output : `${output}\n`);
  if (!succeeded)
    throw new ActivationFailed(stage, `${stage} failed (${hook.join(' ')}): ${ended}\n${output}`.trimEnd());
}

/**
 * Makes a pair the one that is served. If the server does not take it, the earlier one is served again, unless it ends
 * within a day. Throws ActivationFailed, whose message says which pair is current then.
 */
export async function servePair(machine: Machine, disk: OnDisk, pair: StoredPair, now: Date): Promise<void> {
  const earlier = earlierPair({ ...disk, current: pair }) as StoredPair | undefined;
  await pointTo(machine, pair);
  try {
    await activateServer(machine, pair);
  } catch (error) {
    if (!(error instanceof ActivationFailed)) throw error;
    const retreat = retreatAfter(error.stage, earlier, now);
    if (retreat === 'stay' || earlier === undefined) throw explained(error, stayedBecause(earlier));
    throw explained(error, await goBack(machine, earlier, retreat));
  }
  await markServed(machine, pair.name);
}

/** Lets `current` and the copies be those of a pair. */
async function pointTo(machine: Machine, pair: StoredPair): Promise<void> {
  await switchCurrent(machine, pair.name);
  if (await areCopiesStale(machine, pair)) await writeCopies(machine, pair);
}

/** Returns a sentence on what was done. */
async function goBack(machine: Machine, earlier: StoredPair, retreat: 'switch' | 'reload'): Promise<string> {
  const named = `the certificate with serial ${earlier.leaf.serialNumber}, which ends ${earlier.leaf.notAfter.toISOString()}`;
  if (retreat === 'reload') await unmarkServed(machine, earlier.name);
  await pointTo(machine, earlier);
  if (retreat === 'switch') return `switched back to ${named}; the server was not reloaded`;
  try {
    await reloadServer(machine, earlier);
  } catch (error) {
    if (!(error instanceof ActivationFailed)) throw error;
    return `switched back to ${named}, but the server does not take that one either: ${error.message}`;
  }
  await markServed(machine, earlier.name);
  return `switched back to ${named} and reloaded`;
}

function stayedBecause(earlier: StoredPair | undefined): string {
  return earlier === undefined
    ? 'there is no earlier certificate to switch back to'
    : `the earlier certificate ends ${earlier.leaf.notAfter.toISOString()}, so the new one stays`;
}

function explained({ stage, message }: ActivationFailed, what: string): ActivationFailed {
  const [first = '', ...output] = message.split('\n');
  return new ActivationFailed(stage, [`${first}; ${what}`, ...output].join('\n'));
}
