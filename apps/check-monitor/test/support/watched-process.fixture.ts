// Loaded into the process of a service before it: upon SIGUSR2, writes the longest stretch of its main thread since the
// last time to its log.
import { watchStretches } from '@certloop/server/testing';

let watch = watchStretches();

process.on('SIGUSR2', () => {
  const over = watch;
  watch = watchStretches();
  const write = (maxMs = 0) =>
    process.stdout.write(`${JSON.stringify({ event: 'test.longest_stretch', maxMs })}\n`);
  void over.stop().then(write);
});
