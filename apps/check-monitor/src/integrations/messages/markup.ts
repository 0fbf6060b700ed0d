import { type Fact, factText } from './event-facts.js';
import type { EventView } from './event-view.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that stands for itself in HTML, in an element and in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/**
 * Text that stands for itself in a line of Markdown (CommonMark §2.4, §2.5). Only what would be markup is escaped, since
 * some clients show the source: an underscore between letters, a full stop or a hyphen is none.
 */
export function escapeMarkdown(text: string): string {
  return (
    escapeAngles(text)
      .replace(/[\\`*[\]]|~~/g, '\\$&')
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      // matches from the line break on: to search backwards from each place takes quadratic time
      .replace(/(\n[^\S\n]*)([#+=-])|(\n[^\S\n]*\d+)([.)])/g, '$1$3\\$2$4')
  );
}

/** Ampersand and angle brackets as entities. */
export function escapeAngles(text: string): string {
  return text.replace(/[&<>]/g, (character) => entities[character] ?? '');
}

/** Code block of Markdown; a fence within the text cannot end it. */
export function fencedCode(text: string): string {
  return `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``;
}

/** How one kind of text marks up the parts of a message. */
export interface Markup {
  readonly bold: (text: string) => string;
  readonly code: (text: string) => string;
  readonly plain: (text: string) => string;
  readonly block: (text: string) => string;
  readonly link: (text: string, url: string) => string;
  /** End of a line within a paragraph. */
  readonly lineBreak: string;
}

export const htmlMarkup: Markup = {
  bold: (text) => `<b>${escapeHtml(text)}</b>`,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  plain: escapeHtml,
  block: (text) => `<pre>${escapeHtml(text)}</pre>`,
  link: (text, url) => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`,
  lineBreak: '\n',
};

export const markdown: Markup = {
  bold: (text) => `**${escapeMarkdown(text)}**`,
  // a backtick within would end the code
  code: (text) => `\`${text.replaceAll('`', "'")}\``,
  plain: escapeMarkdown,
  block: fencedCode,
  link: (text, url) => `[${escapeMarkdown(text)}](${url})`,
  // two blanks make the line break hard, CommonMark §6.7
  lineBreak: '  \n',
};

export const plainText: Markup = {
  bold: (text) => text,
  code: (text) => text,
  plain: (text) => text,
  block: (text) => text,
  link: (_text, url) => url,
  lineBreak: '\n',
};

/** `Project: Jobs`, the label in bold. */
export function factLine(fact: Fact, { bold, code, plain }: Markup): string {
  const value = 'codes' in fact ? fact.codes.map(code).join(', ') : plain(factText(fact));
  return `${bold(`${fact.label}:`)} ${value}`;
}

/** Facts of an event, one a line, as many as fit into `maxOctets`; the first one, the moment, always stays. */
export function factLines(
  { facts }: EventView,
  markup: Markup,
  maxOctets: number = Number.POSITIVE_INFINITY,
): string {
  const lines = facts.map((fact) => factLine(fact, markup));
  return joinBlocks(lines, maxOctets, markup.lineBreak);
}

/** Body of the last ping under its title; undefined if there is none. */
export function bodyBlock({ body }: EventView, { bold, block }: Markup): string | undefined {
  return body === undefined ? undefined : `${bold('Last Ping Body:')}\n${block(body)}`;
}

/** How the other checks are doing, with the names of those that are down as `nameOf` marks them up. */
export function othersBlock(
  { others, downOthers }: EventView,
  { bold, plain, lineBreak }: Markup,
  nameOf: Markup['link'] = bold,
): string | undefined {
  const [first, ...rest] = others;
  if (first === undefined) return undefined;
  const named = downOthers.map(({ name, note, link }) => `• ${nameOf(name, link)} ${plain(`(${note})`)}`);
  return [plain(first), ...(named.length === 0 ? rest.map(plain) : named)].join(lineBreak);
}

/** `🔴 The check Backup is DOWN (received a failure signal).`, the name with a link, and how long it was down. */
export function newsBlock(view: EventView, { plain, bold, link, lineBreak }: Markup): string {
  const [sign, is] = view.status === 'up' ? ['🟢', 'is now'] : ['🔴', 'is'];
  const reason = view.reason === '' ? '' : plain(` (${view.reason})`);
  const news = `${sign} The check ${link(view.name, view.link)} ${is} ${bold(view.statusWord)}${reason}.`;
  const isOver = view.status === 'up' && view.explanation !== '';
  return isOver ? `${news}${lineBreak}${plain(view.explanation)}` : news;
}

/** Link to the page of the check. */
export function linkBlock({ link, siteName }: EventView, markup: Markup): string {
  return markup.link(`View on ${siteName}`, link);
}

/**
 * Blocks with an empty line between them, as many as fit into `maxOctets` of UTF-8: targets refuse what is longer,
 * and an alert without its details is better than none. The first block always stays.
 */
export function joinBlocks(blocks: readonly (string | undefined)[], maxOctets: number, gap = '\n\n'): string {
  let text = '';
  for (const block of blocks) {
    if (block === undefined) continue;
    const longer = text === '' ? block : text + gap + block;
    if (text === '' || Buffer.byteLength(longer) <= maxOctets) text = longer;
  }
  return text;
}
