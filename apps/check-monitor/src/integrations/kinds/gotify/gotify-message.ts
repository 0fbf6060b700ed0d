import type { EventView } from '../../messages/event-view.js';
import {
  bodyBlock,
  factLines,
  joinBlocks,
  linkBlock,
  markdown,
  newsBlock,
  othersBlock,
} from '../../messages/markup.js';
import { type Notice, noticeLines } from '../../messages/notice.js';

const maxOctets = 20_000;

/** Message of Gotify, in Markdown; the server chooses a priority where `priority` is null. */
export function gotifyMessage(view: EventView, priority: number | null): object {
  const blocks = [
    newsBlock(view, markdown),
    factLines(view, markdown, maxOctets / 2),
    bodyBlock(view, markdown),
    othersBlock(view, markdown, markdown.link),
    linkBlock(view, markdown),
  ];
  return {
    title: view.title,
    message: joinBlocks(blocks, maxOctets),
    ...(priority === null ? {} : { priority }),
    extras: {
      'client::display': { contentType: 'text/markdown' },
      'client::notification': { click: { url: view.link } },
    },
  };
}

/** A notice in the same form. */
export function gotifyNotice(notice: Notice, priority: number | null): object {
  return {
    title: notice.title,
    message: noticeLines(notice, markdown, maxOctets),
    // 0 means no alerts of this status; a notice is sent all the same
    ...(priority === null || priority === 0 ? {} : { priority }),
    extras: { 'client::display': { contentType: 'text/markdown' } },
  };
}
