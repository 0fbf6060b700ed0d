import { lazyRouteComponent } from '@tanstack/react-router';

/**
 * A page that is loaded when it is opened first. Where its part is gone, `reloadOnOldChunk` loads the document anew, and
 * the import ends without a module: the page then waits for that.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => (await load()) ?? new Promise<never>(() => undefined), name);
