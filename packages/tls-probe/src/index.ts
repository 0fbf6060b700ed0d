/**
 * Looks at what a TLS server serves, and judges it. Rules are pure; `*.client.ts` files connect. Answers hold codes and
 * certificates, never words of a banner.
 */

export { classify, type Expectation, keyAlgorithmOf, type Verdict } from './classify.js';
export { createGuard, type Guard } from './guard.js';
export { hintOf } from './hint.js';
export { type AddressObservation, describeServed } from './observation.js';
export { type ProbeTarget, probe, type ProbeOptions, type ProbeTurn } from './probe.client.js';
export { type Protocol, protocols, usualPorts } from './protocols.js';
export { parseHost, parsePlace } from './target.js';
