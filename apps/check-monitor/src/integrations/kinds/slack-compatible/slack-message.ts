import { type Fact, factText } from '../../messages/event-facts.js';
import type { EventView, ViewSite } from '../../messages/event-view.js';
import { fencedCode, plainText } from '../../messages/markup.js';
import { type Notice, noticeLines } from '../../messages/notice.js';

interface Field {
  readonly title: string;
  readonly value: string;
  readonly short: boolean;
}

/** Escapes text so that the target shows it unchanged. */
export type EscapeText = (text: string) => string;

/** Slack interprets three characters as markup; compatible services show the entities. */
export const escapeForSlack: EscapeText = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Differences between the targets that accept these messages. */
export interface SlackDialect {
  readonly escapeText: EscapeText;
  /** Asterisks of a schedule, which would make text bold. */
  readonly escapeStars: EscapeText;
}

/** An invisible character (U+034F) before each asterisk, so that it begins no markup. */
export const separateStars: EscapeText = (text) => text.replaceAll('*', '\u034f*');

/** Message for Slack's incoming webhooks, which Mattermost and Discord accept too. */
export function slackMessage(view: EventView, dialect: SlackDialect): object {
  const { escapeText } = dialect;
  const fields = view.facts.map((fact) => fieldOf(fact, dialect));
  const body =
    view.body === undefined ? [] : [longField('Last Ping Body', fencedCode(escapeText(view.body)))];
  return {
    username: view.siteName,
    ...(view.logoUrl === undefined ? {} : { icon_url: view.logoUrl }),
    attachments: [
      {
        color: view.status === 'up' ? 'good' : 'danger',
        fallback: escapeText(`The check "${view.name}" is ${view.statusWord}.`),
        mrkdwn_in: ['fields'],
        title: escapeText(`“${view.name}” is ${view.statusWord}.`),
        title_link: view.link,
        ...(view.explanation === '' ? {} : { text: escapeText(view.explanation) }),
        fields: [...fields, ...body],
      },
    ],
  };
}

function fieldOf(fact: Fact, { escapeText, escapeStars }: SlackDialect): Field {
  const value =
    'words' in fact
      ? fact.words.map((word) => `\`${escapeText(word.replaceAll('`', "'"))}\``).join(' ')
      : escapeText(factText(fact));
  return { title: fact.label, value: 'codes' in fact ? escapeStars(value) : value, short: fact.isShort };
}

function longField(title: string, value: string): Field {
  return { title, value, short: false };
}

/** Discord rejects longer texts. */
const maxNoticeOctets = 3000;

/** A notice in the same form. */
export function slackNotice(notice: Notice, site: ViewSite, { escapeText }: SlackDialect): object {
  const text = noticeLines(notice, { ...plainText, plain: escapeText }, maxNoticeOctets);
  return {
    username: site.siteName,
    ...(site.logoUrl === undefined ? {} : { icon_url: site.logoUrl }),
    attachments: [
      {
        color: notice.status === 'up' ? 'good' : 'danger',
        fallback: escapeText(notice.title),
        title: escapeText(notice.title),
        text,
      },
    ],
  };
}
