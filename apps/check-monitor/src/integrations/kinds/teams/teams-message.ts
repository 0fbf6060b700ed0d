import { factText } from '../../messages/event-facts.js';
import type { EventView } from '../../messages/event-view.js';
import { escapeAngles, plainText } from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';

/** Message with an Adaptive Card 1.2, as workflows of Microsoft Teams accept it. */
export function teamsMessage(view: EventView): object {
  return cardMessage({
    fallbackText: escapeAngles(`“${view.name}” is ${view.statusWord}.`),
    body: bodyOf(view),
    actions: [{ type: 'Action.OpenUrl', title: `View on ${view.siteName}`, url: view.link }],
  });
}

const maxNoticeOctets = 10_000;

/** A notice in the same form. */
export function teamsNotice(notice: Notice): object {
  const markup = { ...plainText, plain: escapeForTeams, lineBreak: '\n\n' };
  const lines = noticeLines(notice, markup, maxNoticeOctets);
  return cardMessage({
    fallbackText: escapeAngles(notice.title),
    body: [headingOf(noticeTitle(notice)), { type: 'TextBlock', text: lines, wrap: true }],
  });
}

function cardMessage(parts: object): object {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    ...parts,
    msteams: { width: 'Full' },
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

/**
 * Escapes text for a card. Backslashes would be visible, so an invisible character (U+034F) is inserted before an
 * asterisk, and between the two parts of a link.
 */
function escapeForTeams(text: string): string {
  return escapeAngles(text).replaceAll('*', '\u034f*').replaceAll('](', ']\u034f(');
}

function bodyOf(view: EventView): object[] {
  const heading = headingOf(`${view.status === 'up' ? '🟢' : '🔴'} ${view.sentence}`);
  const facts = view.facts.map((fact) => ({
    title: `${fact.label}:`,
    value: escapeForTeams(factText(fact)).replaceAll('\n', '\n\n'),
  }));
  return [heading, { type: 'FactSet', facts }, ...(view.body === undefined ? [] : codeBlock(view.body))];
}

function headingOf(text: string): object {
  return {
    type: 'TextBlock',
    text: escapeForTeams(text),
    weight: 'bolder',
    size: 'medium',
    wrap: true,
    style: 'heading',
  };
}

function codeBlock(body: string): object[] {
  return [
    { type: 'TextBlock', text: 'Last Ping Body:', weight: 'bolder' },
    { type: 'CodeBlock', codeSnippet: body, language: 'PlainText' },
  ];
}
