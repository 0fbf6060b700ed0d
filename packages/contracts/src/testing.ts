export { calibratedMs } from './testing/calibration.js';
