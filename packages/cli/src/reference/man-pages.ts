import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';
import { version } from '../version.js';
import { aliasesOf, leavesOf, optionText, usageOf, visibleCommands, visibleOptions } from './describe.js';
import { environment } from './environment.js';
import { examplesOf } from './examples.js';

/** A page of section 1 of the manual. */
export interface ManPage {
  /** Name of its file, such as `certloop-spaces.1`. */
  readonly file: string;
  /** In the man macros of roff, man(7). */
  readonly text: string;
}

/** The page of the program, and one for each of its commands. */
export function manPages(program: Command): ManPage[] {
  return [overview(program), ...visibleCommands(program).map((command) => pageOf(program, command))];
}

function overview(program: Command): ManPage {
  const commands = visibleCommands(program);
  const lines = [
    ...head('certloop', program.description()),
    '.SH SYNOPSIS',
    `.B certloop\n.RI [ options ]\n.I command\n.RI [ arguments ]`,
    '.SH COMMANDS',
    ...commands.flatMap((command) => entry(`certloop-${command.name()}(1)`, command.description())),
    '.SH OPTIONS',
    ...optionsOf(program),
    '.SH ENVIRONMENT AND EXIT STATUS',
    '.nf',
    ...environment.trimEnd().split('\n').map(sentence),
    '.fi',
  ];
  return { file: 'certloop.1', text: `${lines.join('\n')}\n` };
}

function pageOf(program: Command, command: Command): ManPage {
  const name = command.name();
  const leaves = leavesOf(command);
  const isNoun = leaves.length > 1 || leaves[0]?.command !== command;
  const parts = leaves.flatMap(({ name: path, command: leaf, isDefault }) => [
    `.SS ${plainText(`certloop ${path} ${usageOf(leaf)}`)}`,
    sentences(
      leaf.description(),
      ...(isDefault ? [`This is what certloop ${name} does`] : []),
      ...aliasesOf(path, leaf).map(sameCommand),
    ),
    ...optionsOf(leaf),
  ]);
  const examples = examplesOf(name).flatMap(({ line, what }) => [
    '.PP',
    ...(what === undefined ? [] : [`${sentence(what)}:`, '.br']),
    `.B ${plainText(line)}`,
  ]);
  const lines = [
    ...head(`certloop-${name}`, command.description()),
    ...(isNoun
      ? [
          '.SH SYNOPSIS',
          `.B certloop ${plainText(name)}\n.I command\n.RI [ arguments ]`,
          ...aliasesOf(name, command).flatMap((alias) => ['.PP', sentence(`${sameCommand(alias)}.`)]),
          '.SH COMMANDS',
          ...parts,
        ]
      : [
          '.SH SYNOPSIS',
          `.B certloop ${plainText(name)}\n${sentence(usageOf(command))}`,
          '.SH DESCRIPTION',
          ...parts.slice(1),
        ]),
    ...(examples.length === 0 ? [] : ['.SH EXAMPLES', ...examples]),
    '.SH SEE ALSO',
    '.BR certloop (1),',
    `whose options ${visibleOptions(program)
      .map(({ long }) => plainText(long ?? ''))
      .join(', ')} may also follow this command.`,
  ];
  return { file: `certloop-${name}.1`, text: `${lines.join('\n')}\n` };
}

function head(name: string, description: string): string[] {
  return [
    `.TH ${name.toUpperCase().replaceAll('-', '\\-')} 1 "" "CertLoop ${version}" "CertLoop"`,
    '.SH NAME',
    `${plainText(name)} \\- ${plainText(description)}`,
  ];
}

const sameCommand = (alias: string) => `certloop ${alias} is the same command`;

/** Sentences in one line; a single one has no full stop. */
function sentences(first: string, ...others: string[]): string {
  return sentence(others.length === 0 ? first : [first, ...others].map((each) => `${each}.`).join(' '));
}

function optionsOf(command: Command): string[] {
  return visibleOptions(command).flatMap((option) => entry(option.flags, optionText(command, option)));
}

/** A term in bold with its text below. */
function entry(term: string, text: string): string[] {
  return ['.TP', `.B ${plainText(term)}`, sentence(text)];
}

/** Text of one line that roff reads as it is. */
function plainText(text: string): string {
  const signs: Readonly<Record<string, string>> = { '\\': '\\e', '-': '\\-', "'": '\\(aq', '"': '\\(dq' };
  const code = (sign: string) => sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return text
    .replaceAll(/[\\'"-]/g, (sign) => signs[sign] ?? sign)
    .replaceAll(/\P{ASCII}/gu, (sign) => `\\[u${code(sign)}]`);
}

/** A line of text, which must not begin like a request. */
function sentence(text: string): string {
  const plain = plainText(text);
  return /^[.]/.test(plain) ? `\\&${plain}` : plain;
}
