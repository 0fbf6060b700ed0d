/**
 * Looks at what a TLS server serves, and judges it. Rules are pure; `*.client.ts` files connect. Answers hold codes and
 * certificates, never words of a banner.
 */

export {
  classifyObservation,
  coversName,
  type Expectation,
  type Judging,
  keyAlgorithmOf,
  type Verdict,
} from './classify.js';
export { createGuard, type Guard } from './guard.js';
export { hintOf } from './hint.js';
export { type AddressObservation, describeServed } from './observation.js';
export { type ProbeOptions, type ProbeTarget, type ProbeTurn, probe } from './probe.client.js';
export { type Protocol, protocols, usualPorts } from './protocols.js';
export { type Place, parseHost, parsePlace } from './target.js';
