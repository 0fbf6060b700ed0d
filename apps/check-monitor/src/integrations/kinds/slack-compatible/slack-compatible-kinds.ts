import { documentOf, documentOr, memberAt } from '../../healthchecks-value.js';
import type { Kind } from '../../kind.js';
import { ofAddress } from '../../settings-rules.js';

export const slack: Kind = {
  label: 'Slack',
  ...ofAddress,
  fromHealthchecks: (value) => ({
    url: memberAt(documentOr(value, { incoming_webhook: { url: value } }), 'incoming_webhook', 'url'),
  }),
};

export const mattermost: Kind = {
  label: 'Mattermost',
  ...ofAddress,
  fromHealthchecks: (url) => ({ url }),
};

export const discord: Kind = {
  label: 'Discord',
  ...ofAddress,
  fromHealthchecks: (value) => {
    const url = memberAt(documentOf(value), 'webhook', 'url');
    // the address of before 2020, which Discord no longer serves
    return {
      url:
        typeof url === 'string' ? url.replace(/^https:\/\/discordapp\.com\//, 'https://discord.com/') : url,
    };
  },
};
