import type { LinkPurpose } from '../integrations/links/signed-link.js';
import { escapeHtml } from '../integrations/messages/markup.js';

/** Questions before a link does anything: programs that follow the links of mails must not decide. */
const questions: Readonly<Record<LinkPurpose, { readonly title: string; readonly button: string }>> = {
  unsub: { title: 'No longer receive these notifications?', button: 'Unsubscribe' },
  verify: { title: 'Receive notifications at this address?', button: 'Verify address' },
};

const answers: Readonly<Record<LinkPurpose | 'decline', string>> = {
  decline: 'You declined. No one can ask for notifications to this address for a year.',
  unsub: 'You have been unsubscribed. No further notification will come.',
  verify: 'The address is verified. Notifications will come from now on.',
};

/** Page with a button that does what the link is for. */
export function askPage(siteName: string, purpose: LinkPurpose): string {
  const { title, button } = questions[purpose];
  const decline = purpose === 'verify' ? ' <button formaction="?decline">Decline</button>' : '';
  return page(siteName, `<h1>${title}</h1>\n<form method="post"><button>${button}</button>${decline}</form>`);
}

/** Page that says what was done. */
export function donePage(siteName: string, purpose: LinkPurpose | 'decline'): string {
  return page(siteName, `<p>${answers[purpose]}</p>`);
}

/** Page for a link that leads nowhere. */
export function invalidPage(siteName: string): string {
  return page(siteName, '<p>This link is not valid, or no longer.</p>');
}

function page(siteName: string, content: string): string {
  const name = escapeHtml(siteName);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${name}</title></head>
<body>
${content}
<p>${name}</p>
</body>
</html>
`;
}
