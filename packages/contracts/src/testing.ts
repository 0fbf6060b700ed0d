export { calibratedMs, cpuMsOf } from './testing/calibration.js';
export { hangMs, until } from './testing/until.js';
