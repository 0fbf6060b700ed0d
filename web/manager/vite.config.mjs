import { consoleConfig } from '@certloop/web-kit/vite';

export default consoleConfig('http://127.0.0.1:3000', {
  me: '/auth/me',
  requests: {
    '/spaces/$spaceId': [
      // before the list, so that no change between the two is missed
      '/changes',
      '/spaces/$spaceId/fqdns?limit=100&sort=attention&include=status',
      '/spaces/$spaceId',
      '/providers',
    ],
    '/fqdns': ['/changes', '/fqdns?limit=100&sort=attention&include=status', '/providers'],
  },
});
