import type { AlertEvent } from '../../messages/alert-event.js';
import type { EventView } from '../../messages/event-view.js';
import {
  bodyBlock,
  factLines,
  htmlMarkup,
  joinBlocks,
  type Markup,
  othersBlock,
} from '../../messages/markup.js';
import { type Notice, noticeLines, noticeTitle } from '../../messages/notice.js';
import { emergencyPriority } from './pushover-kind.js';

/** Pushover refuses longer texts. */
const maxOctets = 1024;

const emergency = { retry: '300', expire: '86400' };

// Pushover knows no preformatted text
const markup: Markup = { ...htmlMarkup, block: htmlMarkup.plain };

export interface PushoverTarget {
  readonly token: string;
  readonly userKey: string;
  readonly priority: number;
}

/** Fields of a message, tagged with the check, so that the repetition of an emergency can be ended. */
export function pushoverMessage(
  { check }: AlertEvent,
  view: EventView,
  { token, userKey, priority }: PushoverTarget,
): Record<string, string> {
  const blocks = [
    view.explanation === '' ? undefined : markup.plain(view.explanation),
    factLines(view, markup, maxOctets / 2),
    othersBlock(view, markup),
    bodyBlock(view, markup),
  ];
  return {
    token,
    user: userKey,
    title: `${view.status === 'up' ? '🟢' : '🔴'} ${view.title}`,
    message: joinBlocks(blocks, maxOctets),
    html: '1',
    priority: String(priority),
    url: view.link,
    url_title: `View on ${view.siteName}`,
    tags: check.uniqueKey,
    ...(priority === emergencyPriority ? emergency : {}),
  };
}

/** A notice, with the usual priority: it must not repeat until a person confirms it. */
export function pushoverNotice(
  notice: Notice,
  { token, userKey }: Pick<PushoverTarget, 'token' | 'userKey'>,
): Record<string, string> {
  const message = noticeLines(notice, markup, maxOctets);
  return { token, user: userKey, title: noticeTitle(notice), message, html: '1', priority: '0' };
}
