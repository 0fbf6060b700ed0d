import { consoleConfig } from '@certloop/web-kit/vite';

export default consoleConfig('http://127.0.0.1:3000');
