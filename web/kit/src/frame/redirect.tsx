import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Waiting } from '../parts/page-parts.js';
import { consolePath } from '../service/api.browser.js';

/**
 * Leads to another page of the console, in the place of this one in the history. The path counts as it is at first:
 * while the other page loads, this one may still be drawn again.
 */
export function Redirect({ path }: { readonly path: string }) {
  const { history } = useRouter();
  const [target] = useState(path);
  useEffect(() => history.replace(`${consolePath()}${target}`), [history, target]);
  return <Waiting />;
}
