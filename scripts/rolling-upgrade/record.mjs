// What was called and acknowledged while replicas were replaced.
import { AppError } from '../../packages/contracts/dist/src/index.js';
import { cutHeader } from './balancer.mjs';

class CutByKill extends Error {}

/** `fetch` for clients behind the balancer. Throws CutByKill for a request that was under way on a killed replica. */
export async function fetchUncut(address, init) {
  const response = await fetch(address, init);
  if (response.headers.has(cutHeader)) throw new CutByKill();
  return response;
}

/**
 * Calls by kind, and for each FQDN what a correct system may have issued: `asked` counts the requests that may each have
 * brought one certificate, `acknowledged` has the serial numbers of those that a caller got.
 */
export function createRecord() {
  const calls = new Map();
  const names = new Map();
  const sentences = { failed: [], refused: [], unseen: [] };

  const callsOf = (kind) => {
    const found = calls.get(kind) ?? { sent: 0, answered: 0, failed: 0, cut: 0, refused: 0, maxMs: 0 };
    calls.set(kind, found);
    return found;
  };
  const nameOf = (fqdn) => {
    const found = names.get(fqdn) ?? { asked: 0, acknowledged: new Set(), renewals: 0, isExact: false };
    names.set(fqdn, found);
    return found;
  };

  /** The reply of a call, if there is one, and whether a kill cut it. An AppError of an accepted kind is a response. */
  async function call(kind, send, accepted = []) {
    const counts = callsOf(kind);
    counts.sent += 1;
    const began = performance.now();
    try {
      const reply = await send();
      counts.answered += 1;
      return { reply, isCut: false };
    } catch (error) {
      const isCut = error?.cause instanceof CutByKill;
      if (isCut) counts.cut += 1;
      else if (error instanceof AppError && accepted.includes(error.kind)) counts.answered += 1;
      else {
        counts.failed += 1;
        sentences.failed.push(`${new Date().toISOString()} ${kind}: ${error.kind ?? ''} ${error.message}`);
      }
      return { reply: undefined, isCut };
    } finally {
      counts.maxMs = Math.max(counts.maxMs, performance.now() - began);
    }
  }

  return {
    calls,
    names,
    sentences,
    call,
    nameOf,
    /** A call that was answered, but without a certificate, as requests are for a name that is being renewed. */
    refuse: (kind, { fqdn, mayRefuse }, sentence) => {
      callsOf(kind).refused += 1;
      if (mayRefuse !== true)
        sentences.refused.push(`${new Date().toISOString()} ${kind} of ${fqdn}: ${sentence}`);
    },
    /** Something acknowledged that the next read did not show. */
    miss: (what) => sentences.unseen.push(`${new Date().toISOString()} ${what}`),
  };
}
