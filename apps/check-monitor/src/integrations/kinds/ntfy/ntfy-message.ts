import type { EventView } from '../../messages/event-view.js';
import { bodyBlock, factLines, joinBlocks, markdown, othersBlock } from '../../messages/markup.js';
import { type Notice, noticeLines } from '../../messages/notice.js';

/** The server turns what is longer into a file. */
const maxOctets = 4000;

export interface NtfyTarget {
  readonly topic: string;
  readonly priority: number;
}

/** Message in the JSON form of ntfy, in Markdown. */
export function ntfyMessage(view: EventView, { topic, priority }: NtfyTarget): object {
  const blocks = [
    view.explanation === '' ? undefined : markdown.plain(view.explanation),
    factLines(view, markdown, maxOctets / 2),
    othersBlock(view, markdown),
    bodyBlock(view, markdown),
  ];
  return {
    topic,
    priority,
    title: view.title,
    message: joinBlocks(blocks, maxOctets),
    markdown: true,
    tags: [view.status === 'up' ? 'green_circle' : 'red_circle'],
    actions: [{ action: 'view', label: `View on ${view.siteName}`, url: view.link }],
  };
}

/** A notice in the same form. */
export function ntfyNotice(notice: Notice, { topic, priority }: NtfyTarget): object {
  return {
    topic,
    priority,
    title: notice.title,
    message: noticeLines(notice, markdown, maxOctets),
    markdown: true,
    tags: [notice.status === 'up' ? 'green_circle' : 'red_circle'],
  };
}
