import { readFileSync } from 'node:fs';
import { guardOutput } from '@certloop/server';
import { runCommandLine } from './command-line.js';
import { environment } from './config.js';

guardOutput('check-monitor');

void runCommandLine(process.argv.slice(2), {
  environment,
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
  readInput: () => readFileSync(0, 'utf8'),
}).then((code) => {
  if (code !== 0) process.exitCode = code;
});
