const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** A common cron line in words, such as `daily at 03:00`; undefined for others, which are shown as they are. */
export function scheduleWords(line: string): string | undefined {
  const fields = line.trim().split(/\s+/);
  const [minute = '', hour = '', day, month, weekday = ''] = fields;
  if (fields.length !== 5 || month !== '*') return undefined;
  const often = day === '*' && weekday === '*' ? wordsOfDay(minute, hour) : undefined;
  if (often !== undefined) return often;
  const time = timeOf(hour, minute);
  if (time === undefined) return undefined;
  if (day === '*') {
    const words = wordsOfWeek(weekday);
    return words === undefined ? undefined : `${words} at ${time}`;
  }
  const ofMonth = weekday === '*' ? numberIn(day, 1, 31) : undefined;
  return ofMonth === undefined ? undefined : `on day ${ofMonth} of each month at ${time}`;
}

/** Several times a day. */
function wordsOfDay(minute: string, hour: string): string | undefined {
  if (hour === '*') {
    if (minute === '*') return 'every minute';
    const step = stepOf(minute, 60);
    if (step !== undefined) return `every ${step} minutes`;
    const at = numberIn(minute, 0, 59);
    return at === undefined ? undefined : `hourly at minute ${at}`;
  }
  const [at, step] = [numberIn(minute, 0, 59), stepOf(hour, 24)];
  return at === undefined || step === undefined ? undefined : `every ${step} hours at minute ${at}`;
}

function wordsOfWeek(weekday: string): string | undefined {
  if (weekday === '*') return 'daily';
  const [from, to, ...others] = weekday.split('-').map(dayOfWeek);
  if (to !== undefined && others.length === 0) return from === undefined ? undefined : `${from} to ${to}`;
  const named = weekday.split(',').map(dayOfWeek);
  return named.includes(undefined) ? undefined : named.join(', ');
}

function dayOfWeek(text: string): string | undefined {
  const place = numberIn(text, 0, 7);
  return place === undefined ? days.find((day) => day.toLowerCase() === text.toLowerCase()) : days[place];
}

// a step that does not divide the hour or the day is irregular
function stepOf(field: string, whole: number): number | undefined {
  const step = field.startsWith('*/') ? numberIn(field.slice(2), 2, whole) : undefined;
  return step !== undefined && whole % step === 0 && step < whole ? step : undefined;
}

function timeOf(hour: string, minute: string): string | undefined {
  const [hours, minutes] = [numberIn(hour, 0, 23), numberIn(minute, 0, 59)];
  if (hours === undefined || minutes === undefined) return undefined;
  return [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
}

function numberIn(text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined || !/^\d{1,2}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}
