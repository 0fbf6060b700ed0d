import type { EventView, Fact } from '../event-view.js';
import { fencedCode } from '../markup.js';

interface Field {
  readonly title: string;
  readonly value: string;
  readonly short: boolean;
}

/** How a target wants text that stands for itself. */
export type EscapeText = (text: string) => string;

/** Slack reads three characters as markup; others of its kin show the entities. */
export const escapeForSlack: EscapeText = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Message in the form of Slack's incoming webhooks, which Mattermost and Discord understand too. */
export function slackMessage(view: EventView, escapeText: EscapeText): object {
  const fields = view.facts.map((fact) => fieldOf(fact, escapeText));
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
        ...(view.explanation === '' ? {} : { text: escapeText(capitalised(view.explanation)) }),
        fields: [...fields, ...body],
      },
    ],
  };
}

function fieldOf(fact: Fact, escapeText: EscapeText): Field {
  const value =
    'text' in fact
      ? escapeText(fact.text)
      : fact.codes.map((code) => `\`${escapeText(code.replaceAll('`', "'"))}\``).join(' ');
  return { title: fact.label, value, short: fact.isShort };
}

function longField(title: string, value: string): Field {
  return { title, value, short: false };
}

function capitalised(sentence: string): string {
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`;
}
