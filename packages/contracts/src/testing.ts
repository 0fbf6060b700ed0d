export { cpuMsOf, excessMs } from './testing/calibration.js';
export { freePort } from './testing/free-port.js';
export { hangMs, until } from './testing/until.js';
