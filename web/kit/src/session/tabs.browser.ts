import type { TabChannel, TabMessage } from './session-state.js';

/** Channel between the tabs of the console with this name. */
export function openTabChannel(name: string): TabChannel {
  const channel = new BroadcastChannel(`certloop-${name}`);
  return {
    send: (message) => channel.postMessage(message),
    listen: (listener) => {
      channel.onmessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
    },
  };
}
