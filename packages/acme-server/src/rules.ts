export { renewalIdOf, requireRenewalId } from './certificates/renewal-id.js';
export { noSuch, orProblem } from './protocol/problems.js';
