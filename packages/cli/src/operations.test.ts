import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { expect, test } from 'vitest';
import { processIo } from './io.js';
import { operationTables } from './operations.js';
import { createProgram } from './program.js';
import { visibleCommands } from './reference/describe.js';
import { bundleExamples, examples, examplesOf } from './reference/examples.js';

const program = createProgram([], processIo(), () => undefined);

/** The full names of all commands that do something themselves. */
function commandNames(command: Command, path = ''): string[] {
  return command.commands.flatMap((each) => {
    const name = `${path}${each.name()}`;
    return each.commands.length === 0 ? [name] : commandNames(each, `${name} `);
  });
}

const names = commandNames(program);

const allOf = (command: Command): Command[] => [command, ...command.commands.flatMap(allOf)];
const namesOf = (command: Command) => [command.name(), ...command.aliases()];

test.each(operationTables)('each operation of $service has a command that exists, or a reason', (table) => {
  expect(Object.keys(table.reached).sort()).toEqual(Object.keys(table.contract).sort());
  for (const [operation, reached] of Object.entries(table.reached)) {
    if ('command' in reached)
      expect({ operation, known: names.includes(reached.command) }).toEqual({ operation, known: true });
    else expect(reached.reason).toMatch(/^\S.{9,}$/);
  }
});

test('each command is in a group of the help, which has at most nine', () => {
  const sizes = new Map<string, number>();
  for (const command of visibleCommands(program))
    sizes.set(command.helpGroup(), (sizes.get(command.helpGroup()) ?? 0) + 1);
  expect([...sizes.keys()]).toEqual([
    'Log in:',
    'Certificates:',
    'What servers serve:',
    'Jobs and alerts:',
    'People and machines:',
    'Services and this program:',
  ]);
  expect(Math.max(...sizes.values())).toBeLessThan(10);
  expect(program.helpInformation()).not.toContain('\nCommands:');
});

test('each command without a parent has an example of its own words', () => {
  for (const command of visibleCommands(program)) {
    const lines = examplesOf(command.name()).map(({ line }) => line);
    expect({ command: command.name(), lines }).toMatchObject({
      lines: expect.arrayContaining([expect.any(String)]),
    });
  }
  for (const { of, line } of [...examples, ...bundleExamples]) expect(line).toMatch(`certloop ${of}`);
});

test('each creation has --if-not-exists, and --twin or a name that no other may have', () => {
  const creations = allOf(program).filter((command) => namesOf(command).includes('create'));
  const having = (flag: string) =>
    creations
      .filter(({ options }) => options.some(({ long }) => long === flag))
      .map((command) => command.parent?.name());
  const all = creations.map((command) => command.parent?.name());
  expect(all.length).toBeGreaterThan(11);
  expect(having('--if-not-exists')).toEqual(all);
  // the API has each name once, or the creation changes what has the name; a CSR has none
  const unique = ['acme-clients', 'contexts', 'providers', 'fqdns', 'checks', 'csrs', 'targets', 'users'];
  expect([...having('--twin'), ...unique].sort()).toEqual([...all].sort());
});

test('each change of a name that others may have asks before there are two', () => {
  const renaming = allOf(program).filter(
    (command) => command.name() === 'update' && command.options.some(({ long }) => long === '--name'),
  );
  expect(renaming.length).toBeGreaterThan(4);
  const silent = renaming.filter(({ options }) => !options.some(({ long }) => long === '--twin'));
  // these differ in their names
  expect(silent.map((command) => command.parent?.name())).toEqual(['contexts', 'acme-clients']);
});

test('each command that deletes, revokes or clears asks first, or continues with --yes', () => {
  const losing = allOf(program).filter((command) =>
    /^(delete|revoke|clear|rotate)(-|$)/.test(command.name()),
  );
  expect(losing.length).toBeGreaterThan(10);
  const hasYes = (command: Command) =>
    command.options.some(({ short, long }) => short === '-y' && long === '--yes');
  expect(losing.filter((command) => !hasYes(command)).map((command) => command.name())).toEqual([]);
});

test('each command, option and argument is described', () => {
  for (const command of allOf(program)) {
    expect({ name: command.name(), described: command.description() !== '' }).toMatchObject({
      described: true,
    });
    for (const option of command.options)
      expect({ flags: option.flags, described: option.description !== '' || option.hidden }).toMatchObject({
        described: true,
      });
  }
});
