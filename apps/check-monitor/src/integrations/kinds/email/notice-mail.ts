import { escapeHtml, htmlMarkup, plainText } from '../../messages/markup.js';
import { type Notice, noticeLines } from '../../messages/notice.js';

const maxOctets = 100_000;

/** Subject and texts of a mail with a notice; `unsubscribeUrl` where the receiver may end all further ones. */
export function noticeMail(
  notice: Notice,
  siteName: string,
  unsubscribeUrl?: string,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const leaveText = unsubscribeUrl === undefined ? '' : `\nUnsubscribe: ${unsubscribeUrl}`;
  const leaveLink =
    unsubscribeUrl === undefined ? '' : ` · ${htmlMarkup.link('Unsubscribe', unsubscribeUrl)}`;
  const lines = noticeLines(notice, plainText, maxOctets);
  const htmlLines = noticeLines(notice, { ...htmlMarkup, lineBreak: '<br>\n' }, maxOctets);
  return {
    subject: notice.title.replaceAll(/\p{Cc}+/gu, ' '),
    text: `${notice.title}\n\n${lines}\n\n--\n${siteName}${leaveText}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(notice.title)}</title></head>
<body style="font-family: sans-serif; font-size: 15px; line-height: 1.4">
<h1 style="font-size: 20px">${escapeHtml(notice.title)}</h1>
<p>${htmlLines}</p>
<hr>
<p style="font-size: 12px">${escapeHtml(siteName)}${leaveLink}</p>
</body>
</html>
`,
  };
}
