// A small service for the tests of its lifecycle: started as a process, it says on standard output what
// happens to it.
import { createLogger, listen, runService } from '../src/index.js';

const port = Number(process.argv[2]);
const behaviour = process.argv[3];

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

await runService('fixture', async (onClose) => {
  onClose(async () => say('closed first part'));
  const { url, close } = await listen(
    (request, response) => {
      if (request.url === '/slow') setTimeout(() => response.end('slow'), 300);
      else response.end('ok');
    },
    { host: '127.0.0.1', port },
  );
  onClose(close);
  onClose(async () => {
    say('closing last part');
    if (behaviour === 'hang') await new Promise((resolve) => setTimeout(resolve, 60_000));
    if (behaviour === 'fail') throw new Error('cannot close');
  });
  say(url);
  return createLogger({ service: 'fixture', level: 'silent' });
});
