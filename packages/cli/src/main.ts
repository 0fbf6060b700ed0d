import { describeFault } from './faults/system-fault.js';
import { processIo } from './io.js';
import { run } from './run.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that stops early, such as `head`, has read enough; a command without an end listens for it too.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`certloop: ${describeFault(error, 'standard output')}\n`);
  process.exitCode ||= 1;
});
// Where standard error is gone, nothing can report it.
process.stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), processIo());
if (code !== 0) process.exitCode = code;
