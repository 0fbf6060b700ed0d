import '@certloop/web-kit/base.css';
import { startConsole } from '@certloop/web-kit';
import { RouterProvider } from '@tanstack/react-router';
import { router } from './router.js';
import { session } from './service.js';

startConsole(session, <RouterProvider router={router} />);
