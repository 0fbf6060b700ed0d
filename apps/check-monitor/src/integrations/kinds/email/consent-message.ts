import { htmlMarkup } from '../../messages/markup.js';

/** Subject and texts of the mail that asks for consent to notifications. */
export function consentMail(
  siteName: string,
  link: string,
): { readonly subject: string; readonly text: string; readonly html: string } {
  const ask = `Someone asks ${siteName} to send notifications about periodic jobs to this address.`;
  const how =
    'If you want them, follow the link. If not, do nothing, or decline there so that no one can ask again.';
  return {
    subject: `Verify your address for notifications of ${siteName}`.replaceAll(/\p{Cc}+/gu, ' '),
    text: `${ask}\n\n${how}\n\n${link}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Verify your address</title></head>
<body style="font-family: sans-serif">
<p>${htmlMarkup.plain(ask)}</p>
<p>${how}</p>
<p>${htmlMarkup.link('Verify this address', link)}</p>
</body>
</html>
`,
  };
}
