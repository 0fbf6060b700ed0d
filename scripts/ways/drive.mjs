// Sets up one way to run CertLoop by the commands of its page and asks it all questions: node drive.mjs WAY, in a machine
// of machine.sh. The last line is a JSON list of questions, answers and expected answers.
import { fstatSync } from 'node:fs';
import { inspect } from 'node:util';
import { prepare, questions } from './questions.mjs';
import { ways } from './ways.mjs';

// services restart: a request on a connection that one of them is just closing would fail
const usualFetch = fetch;
globalThis.fetch = (url, init = {}) =>
  usualFetch(url, { ...init, headers: { ...init.headers, connection: 'close' } });

const name = process.argv[2];
// the test that started it is gone
if (fstatSync(0).isSocket()) process.stdin.on('end', () => process.exit(1)).resume();
const say = (text) => process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${name}: ${text}\n`);

const way = ways[name]();
say('is set up');
await way.up();
say('is asked');
const place = await prepare(way);
const answered = [];
for (const { question, answer: expected, ask } of questions) {
  const answer = await ask(place).catch((error) => inspect(error));
  say(`${question} ${JSON.stringify(answer)}`);
  answered.push({ question, answer, expected });
}
process.stdout.write(`\n${JSON.stringify(answered)}\n`);
// all processes of this machine end with it
process.exit();
