export { freePort } from './testing/ports.js';
export { hasProgram, programOfToday, say } from './testing/programs.js';
export { watchStretches } from './testing/stretches.js';
