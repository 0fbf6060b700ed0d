import { useQuery } from '@tanstack/react-query';
import { readClockFault } from '../service/api.browser.js';
import { wholeSentence } from '../times.js';

/** That the clocks of the service differ, while they do; asked once a minute. Nothing while it cannot be known. */
export function ClockNotice() {
  const { data } = useQuery({
    queryKey: ['clock'],
    queryFn: ({ signal }) => readClockFault(signal),
    refetchInterval: 60_000,
    retry: false,
  });
  if (typeof data !== 'string') return null;
  return (
    <p className="cl-strip" role="status">
      The clocks differ. {wholeSentence(data)}
    </p>
  );
}
