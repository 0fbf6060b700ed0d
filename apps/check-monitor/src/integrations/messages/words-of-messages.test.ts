import { describe, expect, test } from 'vitest';
import { aDownCheck, anEvent, aRecovery, happened, minute } from '../../../test/support/events.js';
import { messages, type SendingKind } from '../../../test/support/kind-samples.js';
import type { AlertEvent } from './alert-event.js';

// The words that people's rules and filters match on; each row is a wire fact of the reference.

const hour = 60 * minute;
const failed = anEvent({ reason: 'fail' });
const recovered = aRecovery({ downSince: happened - 90 * minute });
const cron = anEvent({ check: { period: { kind: 'cron', schedule: '* * * * *', tz: 'Europe/Riga' } } });
const calendar = anEvent({
  check: { period: { kind: 'oncalendar', schedule: 'Mon 2-29', tz: 'Europe/Riga' } },
});
const pinged = (ping: Partial<NonNullable<AlertEvent['lastPing']>>) =>
  anEvent({ lastPing: { ...anEvent().lastPing, body: null, ...ping } as AlertEvent['lastPing'] });
const exit123 = pinged({ signal: 'fail', exitStatus: 123 });
const ignored = pinged({ signal: 'ign', exitStatus: 123 });
const others = (count: number, lastPing: number | null = happened - 61 * minute) =>
  anEvent({
    others: {
      total: count + 1,
      downCount: count,
      down: count > 10 ? [] : Array.from({ length: count }, () => aDownCheck({ name: 'Foobar', lastPing })),
    },
  });
const named = anEvent({ check: { name: 'Foo & <Co>' }, projectName: 'Alice & Bob > Charlie' });
const logged = pinged({ body: Buffer.from('Hello World') });
const longLog = pinged({ body: Buffer.from('Hello World'.repeat(1000)) });

type Row = readonly [kind: SendingKind, situation: string, event: AlertEvent, words: string];

const schedule = '\u034f* \u034f* \u034f* \u034f* \u034f*';
const slackLike = (kind: SendingKind, stars: string): Row[] => [
  [kind, 'no signal in time', anEvent(), 'Reason: success signal did not arrive on time, grace time passed.'],
  [kind, 'fallback', anEvent(), 'The check \\"Backup\\" is DOWN.'],
  [kind, 'a failure', failed, '"text":"Reason: received a failure signal."'],
  [kind, 'a recovery', recovered, '"text":"The downtime lasted 1 hour, 30 minutes."'],
  [kind, 'cron', cron, `{"title":"Schedule","value":"${stars}","short":true}`],
  [kind, 'zone', cron, '{"title":"Time Zone","value":"Europe/Riga","short":true}'],
  [kind, 'OnCalendar', calendar, '{"title":"Schedule","value":"Mon 2-29","short":true}'],
  [kind, 'pings', anEvent(), '{"title":"Total Pings","value":"112","short":true}'],
  [kind, 'last ping', anEvent(), '{"title":"Last Ping","value":"Success, 10 minutes ago","short":true}'],
  [kind, 'failed ping', pinged({ signal: 'fail' }), '"Failure, 10 minutes ago"'],
  [kind, 'exit status', exit123, '"Exit status 123, 10 minutes ago"'],
  [kind, 'ignored ping', ignored, '"Ignored, 10 minutes ago"'],
  [kind, 'log ping', pinged({ signal: 'log' }), '"Log, 10 minutes ago"'],
  [kind, 'body', logged, '"```\\nHello World\\n```"'],
  [kind, 'long body', longLog, '[truncated]'],
];

const rows: readonly Row[] = [
  ...slackLike('slack', schedule),
  ...slackLike('mattermost', schedule),
  ...slackLike('discord', String.raw`\\* \\* \\* \\* \\*`),
  ['telegram', 'no signal in time', anEvent(), '🔴 The check <a href='],
  ['telegram', 'name', anEvent(), '>Backup</a> is <b>DOWN</b> (success signal did not arrive on time, grace'],
  ['telegram', 'a failure', failed, '(received a failure signal).'],
  ['telegram', 'a recovery', recovered, 'is now <b>UP</b>.\\nThe downtime lasted 1 hour, 30 minutes.'],
  ['telegram', 'project', anEvent(), '<b>Project:</b> Jobs\\n'],
  ['telegram', 'tags', anEvent(), '<b>Tags:</b> prod, db\\n'],
  ['telegram', 'period', anEvent(), '<b>Period:</b> 1 day\\n'],
  ['telegram', 'pings', anEvent(), '<b>Total Pings:</b> 112\\n'],
  ['telegram', 'last ping', anEvent(), '<b>Last Ping:</b> Success, 10 minutes ago'],
  ['telegram', 'exit status', exit123, '<b>Last Ping:</b> Exit status 123, 10 minutes ago'],
  ['telegram', 'cron', cron, '<b>Schedule:</b> <code>* * * * *</code>\\n<b>Time Zone:</b> Europe/Riga\\n'],
  ['telegram', 'OnCalendar', calendar, '<b>Schedule:</b> <code>Mon 2-29</code>\\n'],
  [
    'telegram',
    'others up',
    anEvent({ others: { total: 1, downCount: 0, down: [] } }),
    'All the other checks are up.',
  ],
  ['telegram', 'others down', others(1), '/cloaked/bbbb'],
  ['telegram', 'others down, since', others(1), '>Foobar</a> (last ping: an hour ago)'],
  ['telegram', 'others never pinged', others(1, null), '(last ping: never)'],
  ['telegram', 'many others', others(11), '11 other checks are also down.'],
  ['telegram', 'body', logged, '<b>Last Ping Body:</b>\\n<pre>Hello World</pre>'],
  ['telegram', 'long body', longLog, '[truncated]'],
  ['telegram', 'markup', named, 'Alice &amp; Bob &gt; Charlie'],
  ['ntfy', 'title', anEvent(), '"title":"Backup is DOWN"'],
  [
    'ntfy',
    'no signal in time',
    anEvent(),
    'Reason: success signal did not arrive on time, grace time passed.',
  ],
  ['ntfy', 'a failure', failed, 'Reason: received a failure signal.'],
  ['ntfy', 'a recovery', recovered, 'The downtime lasted 1 hour, 30 minutes.'],
  ['ntfy', 'tags', anEvent(), '**Tags:** prod, db'],
  ['ntfy', 'period', anEvent(), '**Period:** 1 day'],
  ['ntfy', 'pings', anEvent(), '**Total Pings:** 112'],
  ['ntfy', 'last ping', anEvent(), '**Last Ping:** Success, 10 minutes ago'],
  ['ntfy', 'exit status', exit123, '**Last Ping:** Exit status 123'],
  ['ntfy', 'markup', named, '**Project:** Alice &amp; Bob &gt; Charlie'],
  ['ntfy', 'cron', cron, '**Schedule:** `* * * * *`'],
  ['ntfy', 'zone', cron, '**Time Zone:** Europe/Riga'],
  ['ntfy', 'OnCalendar', calendar, '**Schedule:** `Mon 2-29`'],
  ['ntfy', 'others down', others(1), '• **Foobar** (last ping: an hour ago)'],
  ['ntfy', 'many others', others(11), '11 other checks are also down.'],
  ['gotify', 'title', anEvent(), '"title":"Backup is DOWN"'],
  ['gotify', 'no signal in time', anEvent(), '🔴 The check [Backup](https://monitor.example/cloaked/'],
  ['gotify', 'reason', anEvent(), 'is **DOWN** (success signal did not arrive on time, grace time passed).'],
  ['gotify', 'a failure', failed, '(received a failure signal).'],
  ['gotify', 'a recovery', recovered, 'The downtime lasted 1 hour, 30 minutes.'],
  ['gotify', 'others down', others(1), '[Foobar](https://monitor.example/cloaked/bbbb'],
  ['gotify', 'others down, since', others(1), '(last ping: an hour ago)'],
  ['gotify', 'others never pinged', others(1, null), '(last ping: never)'],
  ['gotify', 'many others', others(11), '11 other checks are also down.'],
  ['po', 'title', anEvent(), '"title":"🔴 Backup is DOWN"'],
  ['po', 'title of a recovery', recovered, '"title":"🟢 Backup is UP"'],
  ['po', 'title is plain', named, '"title":"🔴 Foo & <Co> is DOWN"'],
  ['po', 'tags', anEvent(), '"tags":"a6c7b0a8a66bed0df66abfdab3c77736861703ee"'],
  ['po', 'no signal in time', anEvent(), 'Reason: success signal did not arrive on time, grace time passed.'],
  ['po', 'a failure', failed, 'Reason: received a failure signal'],
  ['po', 'a recovery', recovered, 'The downtime lasted 1 hour, 30 minutes.'],
  ['po', 'cron', cron, '<b>Schedule:</b> <code>* * * * *</code>'],
  ['po', 'zone', cron, '<b>Time Zone:</b> Europe/Riga'],
  ['po', 'OnCalendar', calendar, '<b>Schedule:</b> <code>Mon 2-29</code>'],
  ['po', 'others down', others(1), '• <b>Foobar</b> (last ping: an hour ago)'],
  ['po', 'others never pinged', others(1, null), '(last ping: never)'],
  ['po', 'many others', others(11), '11 other checks are also down.'],
  [
    'pd',
    'no signal in time',
    anEvent(),
    'Backup is DOWN (success signal did not arrive on time, grace time passed).',
  ],
  ['pd', 'a failure', failed, '"description":"Backup is DOWN (received a failure signal)."'],
  ['pd', 'a recovery', recovered, '"description":"Backup received a ping and is now UP"'],
  ['pd', 'description', anEvent({ check: { description: 'Nightly' } }), '"Description":"Nightly"'],
  ['pd', 'cron', cron, '"Schedule":"* * * * *","Time zone":"Europe/Riga"'],
  ['pd', 'OnCalendar', calendar, '"Schedule":"Mon 2-29"'],
  ['pd', 'pings', anEvent(), '"Total pings":112,"Last ping":"Success, 10 minutes ago"'],
  [
    'pd',
    'no ping',
    anEvent({ lastPing: null, check: { pingCount: 0 } }),
    '"Total pings":0,"Last ping":"Never"',
  ],
  ['pd', 'name is plain', named, 'Foo & <Co> is DOWN'],
  [
    'opsgenie',
    'no signal in time',
    anEvent(),
    'The check \\\\\\"Backup\\\\\\" is DOWN (success signal did not arrive',
  ],
  ['opsgenie', 'a failure', failed, 'The check \\\\\\"Backup\\\\\\" is DOWN (received a failure signal).'],
  [
    'opsgenie',
    'OnCalendar',
    calendar,
    '\\"Schedule\\":\\"<code>Mon 2-29</code>\\",\\"Time zone\\":\\"Europe/Riga\\"',
  ],
  ['opsgenie', 'link', anEvent(), '\\"Full details\\":\\"https://monitor.example/cloaked/'],
  ['opsgenie', 'pings', anEvent(), '\\"Total pings\\":112,\\"Last ping\\":\\"Success, 10 minutes ago\\"'],
  [
    'opsgenie',
    'no ping',
    anEvent({ lastPing: null, check: { pingCount: 0 } }),
    '\\"Total pings\\":0,\\"Last ping\\":\\"Never\\"',
  ],
  ['msteamsw', 'fallback', anEvent(), '"fallbackText":"“Backup” is DOWN."'],
  [
    'msteamsw',
    'no signal in time',
    anEvent(),
    '🔴 “Backup” is DOWN (success signal did not arrive on time, grace time passed).',
  ],
  ['msteamsw', 'a failure', failed, '🔴 “Backup” is DOWN (received a failure signal).'],
  [
    'msteamsw',
    'underscores',
    anEvent({ check: { name: '_a_ & b' } }),
    '"fallbackText":"“_a_ &amp; b” is DOWN."',
  ],
  [
    'msteamsw',
    'underscores in the heading',
    anEvent({ check: { name: '_a_ & b' } }),
    '🔴 “_a_ &amp; b” is DOWN',
  ],
  ['msteamsw', 'cron', cron, `{"title":"Schedule:","value":"${schedule}"}`],
  ['msteamsw', 'zone', cron, '{"title":"Time Zone:","value":"Europe/Riga"}'],
  ['msteamsw', 'OnCalendar', calendar, '{"title":"Schedule:","value":"Mon 2-29"}'],
  ['msteamsw', 'pings', anEvent(), '{"title":"Total Pings:","value":"112"}'],
  ['msteamsw', 'failed ping', pinged({ signal: 'fail' }), '"Failure, 10 minutes ago"'],
  ['msteamsw', 'log ping', pinged({ signal: 'log' }), '"Log, 10 minutes ago"'],
  ['msteamsw', 'ignored ping', ignored, '{"title":"Last Ping:","value":"Ignored, 10 minutes ago"}'],
  ['msteamsw', 'body', logged, '{"type":"CodeBlock","codeSnippet":"Hello World"'],
  ['googlechat', 'no signal in time', anEvent(), 'Reason: success signal did not arrive on time'],
  ['googlechat', 'a failure', failed, 'Reason: received a failure signal.'],
  ['googlechat', 'a recovery', recovered, 'The downtime lasted 1 hour, 30 minutes.'],
  ['googlechat', 'cron', cron, '{"topLabel":"Schedule","text":"* * * * *"'],
  ['googlechat', 'zone', cron, '{"topLabel":"Time Zone","text":"Europe/Riga"'],
  ['googlechat', 'OnCalendar', calendar, '{"topLabel":"Schedule","text":"Mon 2-29"'],
  ['googlechat', 'pings', anEvent(), '{"topLabel":"Total Pings","text":"112"'],
  ['googlechat', 'exit status', exit123, '"Exit status 123, 10 minutes ago"'],
  ['googlechat', 'log ping', pinged({ signal: 'log' }), '"Log, 10 minutes ago"'],
  ['googlechat', 'ignored ping', ignored, '{"topLabel":"Last Ping","text":"Ignored, 10 minutes ago"'],
  [
    'matrix',
    'no signal in time',
    anEvent(),
    '"body":"Backup is DOWN (success signal did not arrive on time, grace',
  ],
  [
    'matrix',
    'formatted',
    anEvent(),
    'is <b>DOWN</b> (success signal did not arrive on time, grace time passed)',
  ],
  ['matrix', 'a failure', failed, 'is <b>DOWN</b> (received a failure signal).'],
  ['matrix', 'a recovery', recovered, '"body":"Backup is now UP. The downtime lasted 1 hour, 30 minutes.'],
  ['matrix', 'a recovery, formatted', recovered, '<b>UP</b>.<br>The downtime lasted 1 hour, 30 minutes.'],
  ['matrix', 'last ping', anEvent(), '<b>Last Ping:</b> Success, 10 minutes ago'],
  ['matrix', 'no ping', anEvent({ lastPing: null, check: { pingCount: 0 } }), '<b>Last Ping:</b> Never'],
  ['matrix', 'others down', others(1), '>Foobar</a> (last ping: an hour ago)'],
  [
    'signal',
    'no signal in time',
    anEvent(),
    'The check Backup is DOWN (success signal did not arrive on time, grace',
  ],
  ['signal', 'name in bold', anEvent(), '"textStyle":["10:6:BOLD"'],
  ['signal', 'a failure', failed, '(received a failure signal).'],
  ['signal', 'a recovery', recovered, 'Backup is now UP. The downtime lasted 1 hour, 30 minutes.'],
  ['signal', 'project', named, 'Project: Alice & Bob > Charlie\\n'],
  ['signal', 'name is plain', named, 'The check Foo & <Co> is DOWN'],
  ['signal', 'tags', anEvent(), 'Tags: prod, db\\n'],
  ['signal', 'period', anEvent(), 'Period: 1 day\\n'],
  ['signal', 'pings', anEvent(), 'Total Pings: 112\\n'],
  ['signal', 'last ping', anEvent(), 'Last Ping: Success, 10 minutes ago'],
  ['signal', 'exit status', exit123, 'Last Ping: Exit status 123, 10 minutes ago'],
  ['signal', 'cron', cron, 'Schedule: * * * * *\\nTime Zone: Europe/Riga\\n'],
  ['signal', 'OnCalendar', calendar, 'Schedule: Mon 2-29\\n'],
  [
    'signal',
    'others up',
    anEvent({ others: { total: 1, downCount: 0, down: [] } }),
    'All the other checks are up.',
  ],
  ['signal', 'others down', others(1), '• Foobar (last ping: an hour ago)'],
  ['signal', 'others never pinged', others(1, null), '(last ping: never)'],
  ['signal', 'many others', others(11), '11 other checks are also down.'],
];

describe('words of a message', () => {
  test.each(rows)('%s, %s', (kind, _situation, event, words) => {
    expect(JSON.stringify(messages[kind](event))).toContain(words);
  });

  test('count an age of some hours in hours', () => {
    expect(JSON.stringify(messages.po(others(1, happened - 3 * hour)))).toContain('3 hours ago');
  });
});
