import { type Fate, fates, type ImportReport, things } from './import-report.js';

/** Command that gives a user a password. */
export function passwordCommand(email: string): string {
  const word = /^[\w.@+-]+$/.test(email) ? email : `'${email.replaceAll("'", `'\\''`)}'`;
  return `check-monitor user password --email ${word}`;
}

const titles: Readonly<Record<ImportReport['outcome'], string>> = {
  imported: 'Imported.',
  'dry run': 'Dry run: nothing was changed. The import would do this:',
  refused: 'Refused: nothing was changed. The import would do this without the rows at fault:',
};

/** The report for people. */
export function describeImport(report: ImportReport): string {
  return [
    `${titles[report.outcome]}\n`,
    countLines(report),
    section(
      `Rows at fault (${report.faultCount}). Correct them there and write the dump again, or use --skip-faulty:`,
      report.faults,
    ),
    formerSecretText(report),
    section(
      'Checks that had integrations there and have none here, so that they send no alerts:',
      report.silentChecks.map(({ uuid, name, project }) => `${name || 'unnamed'} (${uuid}) in ${project}`),
    ),
    section(
      'Integrations that would send nothing from here:',
      report.undeliverable.map(({ what, reason }) => `${what}: ${reason}`),
    ),
    section(
      'Not carried over:',
      report.notCarriedOver.map(({ what, reason }) => `${what}: ${reason}`),
    ),
    section(
      'Passwords are not imported. This sets one, from standard input:',
      report.withoutPassword.map(({ command }) => command),
    ),
  ]
    .filter((text) => text !== '')
    .join('\n');
}

function countLines({ counts }: ImportReport): string {
  const lines = things.map((thing) => {
    const parts = fates
      .filter((fate) => counts[thing][fate] > 0)
      .map((fate) => `${counts[thing][fate]} ${words[fate]}`);
    return `  ${thing}: ${parts.join(', ') || 'none'}\n`;
  });
  return lines.join('');
}

const words: Readonly<Record<Fate, string>> = {
  created: 'created',
  updated: 'updated',
  unchanged: 'unchanged',
  left: 'in use here and left as they are',
};

function formerSecretText({ formerSecret: { isSet, keys, badges } }: ImportReport): string {
  const lines = [
    ...keys.map(({ project, projectId, kind }) => `${kind} key of ${project} (${projectId})`),
    ...badges.map(
      ({ project, projectId }) => `badges of tags and of all checks of ${project} (${projectId})`,
    ),
  ];
  const title = isSet
    ? 'CHECK_MONITOR_FORMER_SECRET is set. If it is SECRET_KEY of that Healthchecks, these answer:'
    : 'CHECK_MONITOR_FORMER_SECRET is not set. Set it to SECRET_KEY of that Healthchecks, or these fail:';
  return section(title, lines);
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}
