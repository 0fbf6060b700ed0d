import { Writable } from 'node:stream';

/** A sink, and what was written to it. */
export function createCollector() {
  let text = '';
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  return { sink, text: () => text };
}
