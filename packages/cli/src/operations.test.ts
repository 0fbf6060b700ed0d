import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { processIo } from './io.js';
import {
  accountOperations,
  certManagerOperations,
  checkMonitorOperations,
  dummyCaOperations,
} from './operations.js';
import { createProgram } from './run.js';

const program = createProgram([], processIo(), () => undefined);

/** The full names of all commands that do something themselves. */
function commandNames(command: Command, path = ''): string[] {
  return command.commands.flatMap((each) => {
    const name = `${path}${each.name()}`;
    return each.commands.length === 0 ? [name] : commandNames(each, `${name} `);
  });
}

const names = commandNames(program);

test.each([
  ['cert-manager', certManagerOperations],
  ['check-monitor', checkMonitorOperations],
  ['check-monitor by accounts', accountOperations],
  ['dummy-ca', dummyCaOperations],
])('each operation of %s has a command that exists, or a reason', (_service, operations) => {
  for (const [operation, reached] of Object.entries(operations)) {
    if ('command' in reached)
      expect({ operation, known: names.includes(reached.command) }).toEqual({ operation, known: true });
    else expect(reached.reason).toMatch(/^\S.{9,}$/);
  }
});

test('each command, option and argument is described', () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  for (const command of all(program)) {
    expect({ name: command.name(), described: command.description() !== '' }).toMatchObject({
      described: true,
    });
    for (const option of command.options)
      expect({ flags: option.flags, described: option.description !== '' || option.hidden }).toMatchObject({
        described: true,
      });
  }
});
