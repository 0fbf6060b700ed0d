// How the languages of commands and configuration files write a value that is data.

/** A word of a POSIX shell; also a word of the configuration of HAProxy, which quotes in the same way. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word of PowerShell, for which the typographic single quotes are quotes too. */
export function powershellWord(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, (quote) => quote + quote)}'`;
}

/** A word of the configuration of Apache or of a Caddyfile. */
export function quotedWord(text: string): string {
  return /^[\w@%+=:,./*-]+$/.test(text) ? text : `"${text.replaceAll(/[\\"]/g, '\\$&')}"`;
}

/** A scalar of YAML: its double-quoted form includes that of JSON. */
export function yamlText(text: string): string {
  return JSON.stringify(text);
}

/** A command of several lines: each group of words is a line of its own. */
export function shellLines(...groups: readonly (readonly string[])[]): string {
  return groups
    .filter((group) => group.length > 0)
    .map((group) => group.join(' '))
    .join(' \\\n  ');
}

/** A command of one line. */
export function shellLine(...groups: readonly (readonly string[])[]): string {
  return groups.flat().join(' ');
}

/** A command that writes a file that only its owner reads. The content has no line that is `EOF`. */
export function writeSecretFile(path: string, content: string): string {
  return `(umask 077 && cat > ${shellWord(path)}) <<'EOF'\n${content}\nEOF`;
}

/** A command that runs a command of one line each night and each afternoon, at the same minute. */
export function writeCronJob(path: string, minute: number, command: string): string {
  // a percent sign ends the command of cron
  const line = `${minute} 4,16 * * * root ${command.replaceAll('%', '\\%')}`;
  return writeSecretFile(path, line);
}
