import { type EventView, factText } from '../event-view.js';
import { escapeMarkdown } from '../markup.js';

/** Message with an Adaptive Card 1.2, as workflows of Microsoft Teams take it. */
export function teamsMessage(view: EventView): object {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    fallbackText: `${view.name} is ${view.statusWord}.`,
    body: bodyOf(view),
    actions: [{ type: 'Action.OpenUrl', title: `View on ${view.siteName}`, url: view.link }],
    msteams: { width: 'Full' },
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

function bodyOf(view: EventView): object[] {
  const heading = {
    type: 'TextBlock',
    text: `${view.status === 'up' ? '🟢' : '🔴'} ${escapeMarkdown(view.sentence)}`,
    weight: 'bolder',
    size: 'medium',
    wrap: true,
    style: 'heading',
  };
  const facts = view.facts.map((fact) => ({
    title: `${fact.label}:`,
    value: escapeMarkdown(factText(fact)),
  }));
  return [heading, { type: 'FactSet', facts }, ...(view.body === undefined ? [] : codeBlock(view.body))];
}

function codeBlock(body: string): object[] {
  return [
    { type: 'TextBlock', text: 'Last Ping Body:', weight: 'bolder' },
    { type: 'CodeBlock', codeSnippet: body, language: 'PlainText' },
  ];
}
