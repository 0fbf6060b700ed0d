/** Rules for a probe and its target that do not connect: for code that may not reach the network. */
export {
  type Class,
  classes,
  classifyObservation,
  coversName,
  type EarlierCertificate,
  type Expectation,
  keyAlgorithmOf,
  type Verdict,
} from './classify.js';
export { createGuard, type Guard } from './guard.js';
export { describeFound, type FoundFacts, hintOf, type NewestCertificate } from './hint.js';
export {
  type AddressObservation,
  type Observation,
  type ProbeFault,
  readSent,
  type ServedCertificate,
  type Stage,
} from './observation.js';
export { type Protocol, protocols, usualPorts } from './protocols.js';
export { parseHost } from './target.js';
