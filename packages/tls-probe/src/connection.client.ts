import { connect, type Socket } from 'node:net';
import type { ProbeFault, Stage } from './observation.js';
import { type Preamble, type PreambleStep, preambleOf } from './preambles.js';
import type { Protocol } from './protocols.js';

/** A probe ended without a handshake. */
export class ProbeEnded extends Error {
  readonly stage: Stage;
  readonly fault: ProbeFault;

  constructor(stage: Stage, fault: ProbeFault) {
    super(fault);
    this.stage = stage;
    this.fault = fault;
  }
}

/** Milliseconds that each step of a probe may take. */
export interface ProbeLimits {
  readonly lookUpMs: number;
  readonly connectMs: number;
  readonly preambleMs: number;
  readonly handshakeMs: number;
}

const maxPreambleBytes = 4096;

/** A TCP connection to an address, which is never looked up. Rejects with ProbeEnded. */
export function openConnection(
  address: string,
  port: number,
  connectMs: number,
  signal?: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, autoSelectFamily: false });
    const stop = () => end(new ProbeEnded('timeout', 'timed_out'));
    const end = (ended: ProbeEnded) => {
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
      socket.destroy();
      reject(ended);
    };
    const timer = setTimeout(stop, connectMs);
    signal?.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => end(connectFault(code)));
  });
}

function connectFault(code: string | undefined): ProbeEnded {
  if (code === 'ECONNREFUSED') return new ProbeEnded('refused', 'connection_refused');
  if (code === 'ETIMEDOUT') return new ProbeEnded('timeout', 'timed_out');
  const hasNoRoute = code === 'ENETUNREACH' || code === 'EHOSTUNREACH' || code === 'EADDRNOTAVAIL';
  return new ProbeEnded('connect', hasNoRoute ? 'no_route' : 'connection_failed');
}

/** Speaks with the server until TLS begins. Rejects with ProbeEnded, having closed the connection. */
export async function speakPreamble(
  socket: Socket,
  protocol: Protocol,
  host: string,
  preambleMs: number,
): Promise<void> {
  const preamble = preambleOf(protocol, host);
  if (preamble === undefined) return;
  const ended = await talk(socket, preamble, preambleMs);
  if (ended === undefined) return;
  socket.destroy();
  throw ended;
}

function talk(socket: Socket, preamble: Preamble, preambleMs: number): Promise<ProbeEnded | undefined> {
  return new Promise((resolve) => {
    const readers = [...preamble.readers];
    let received = Buffer.alloc(0);
    let total = 0;
    const finish = (ended?: ProbeEnded) => {
      clearTimeout(timer);
      socket.pause();
      socket.off('data', take).off('error', closed).off('close', closed).off('end', closed);
      resolve(ended);
    };
    const fail = (fault: ProbeFault) => finish(new ProbeEnded('preamble', fault));
    const closed = () => fail('connection_closed');
    const take = (chunk: Buffer) => {
      total += chunk.length;
      // before anything is read, so that no reader meets more
      if (total > maxPreambleBytes) return fail('too_many_bytes');
      received = Buffer.concat([received, chunk]);
      const outcome = advance();
      if (outcome === 'tls') finish();
      else if (outcome !== undefined) fail(outcome);
    };
    /** Reads what has come; TLS, a fault, or undefined while more must come. */
    const advance = (): 'tls' | ProbeFault | undefined => {
      for (;;) {
        const step: PreambleStep = readers[0]?.(received) ?? { kind: 'wait' };
        if (step.kind === 'wait') return undefined;
        if (step.kind === 'failed') return step.code;
        received = received.subarray(step.used);
        // a server that speaks on before TLS has begun could have its words taken for those of the encrypted part
        if (received.length > 0) return 'bytes_before_tls';
        if (step.kind === 'tls') return 'tls';
        readers.shift();
        socket.write(step.send);
        if (readers.length === 0) return 'tls';
      }
    };
    const timer = setTimeout(() => finish(new ProbeEnded('timeout', 'timed_out')), preambleMs);
    socket.on('data', take).on('error', closed).on('close', closed).on('end', closed);
    if (preamble.first !== undefined) socket.write(preamble.first);
  });
}
