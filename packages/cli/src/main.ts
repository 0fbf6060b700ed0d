import { processIo } from './io.js';
import { run } from './run.js';

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader that stops early, such as `head`, has read enough; a command without an end listens for it too.
  if (code === 'EPIPE') return;
  process.stderr.write(`certloop: standard output: ${message}\n`);
  process.exitCode ||= 1;
});
// Where standard error is gone, nothing can report it.
process.stderr.on('error', () => undefined);

const code = await run(process.argv.slice(2), processIo());
if (code !== 0) process.exitCode = code;
