import { consoleConfig } from '@certloop/web-kit/vite';

export default consoleConfig('http://127.0.0.1:3001', {
  me: '/api/account/me',
  requests: {
    '/projects/$projectId': [
      '/api/account/projects/$projectId/checks?limit=100&sort=attention&include=state',
      '/api/account/projects/$projectId',
    ],
  },
});
