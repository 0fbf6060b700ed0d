import type { CheckKind, SchedulePreview } from '@certloop/contracts/browser';
import { exactTime, Moment, queryOptions, sentenceOf, useSettled, useShownZone } from '@certloop/web-kit';
import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './service.js';

const units = [
  ['minutes', 60],
  ['hours', 3_600],
  ['days', 86_400],
] as const;
const retryMs = 5_000;
type Unit = (typeof units)[number][0];

interface Span {
  readonly count: string;
  readonly unit: Unit;
}

/** A schedule as it is typed. */
export interface ScheduleDraft {
  readonly kind: CheckKind;
  readonly timeout: Span;
  readonly grace: Span;
  readonly schedule: string;
  readonly tz: string;
}

/** Seconds in the largest unit that divides them. */
function spanOf(seconds: number): Span {
  const [unit, size] = units.findLast(([, one]) => seconds % one === 0) ?? units[0];
  return { count: String(seconds / size), unit };
}

function secondsOf({ count, unit }: Span): string {
  const size = units.find(([name]) => name === unit)?.[1] ?? 60;
  // the service rejects other texts, and names the field
  return /^\d{1,9}$/.test(count.trim()) ? String(Number(count) * size) : count;
}

/** Members of a check that the form of its schedule has. */
export const scheduleFields = ['timeout', 'grace', 'schedule', 'tz'] as const;

/** The draft of a check, or of a new one. */
export function draftOf(check?: {
  readonly timeout?: number | undefined;
  readonly grace: number;
  readonly schedule?: string | undefined;
  readonly tz?: string | undefined;
  readonly kind?: CheckKind | undefined;
}): ScheduleDraft {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    kind: check?.kind ?? 'simple',
    timeout: spanOf(check?.timeout ?? 86_400),
    grace: spanOf(check?.grace ?? 3_600),
    schedule: check?.schedule ?? '0 3 * * *',
    tz: check?.tz ?? here,
  };
}

/** Returns what the management API takes for the draft. */
export function scheduleBody({ kind, timeout, grace, schedule, tz }: ScheduleDraft) {
  const graceSeconds = Number(secondsOf(grace));
  return kind === 'simple'
    ? { timeout: Number(secondsOf(timeout)), grace: graceSeconds }
    : { schedule, tz, grace: graceSeconds };
}

/** Returns what the service makes of the draft, asked while it is typed; `isReady` once that is the newest draft. */
export function usePreview(draft: ScheduleDraft) {
  const settled = useSettled(draft);
  const { kind, schedule, tz } = settled;
  const query = {
    kind,
    grace: secondsOf(settled.grace),
    ...(kind === 'simple' ? { timeout: secondsOf(settled.timeout) } : { schedule, tz }),
  };
  const asked = useQuery({
    ...queryOptions(api.previewSchedule, { query }),
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    retry: false,
    refetchInterval: ({ state: { status } }) => (status === 'error' ? retryMs : false),
  });
  const isReady = settled === draft && asked.isSuccess && !asked.isPlaceholderData;
  // the service judges it again when it is sent, so that a preview which fails holds up no one
  const isUnknown = settled === draft && asked.isError;
  return { preview: asked.data, error: asked.error, isValid: isReady ? asked.data.ok : isUnknown };
}

const kinds: readonly (readonly [CheckKind, string, string])[] = [
  ['simple', 'Simple', 'a ping at least every so often'],
  ['cron', 'Cron', 'pings at the times of a cron line'],
  ['oncalendar', 'OnCalendar', 'pings at the times of a systemd timer'],
];

interface DraftProps {
  readonly draft: ScheduleDraft;
  readonly change: (draft: ScheduleDraft) => void;
}

/** The fields of a schedule, with what they mean. */
export function ScheduleForm({
  draft,
  change,
  preview,
  error,
  refused = {},
}: {
  readonly preview: SchedulePreview | undefined;
  readonly error: unknown;
  /** Faults of the schedule that the service found when it was sent, by field. */
  readonly refused?: Readonly<Record<string, string>>;
} & DraftProps) {
  const faults = new Map<string, string>([
    ...Object.entries(refused),
    ...(preview?.errors.map(({ field, message }) => [field, `It ${message}.`] as const) ?? []),
  ]);
  const isSimple = draft.kind === 'simple';
  const select = (kind: CheckKind) => {
    // a line of the other kind would be invalid
    const isCron = draft.schedule.trim().split(/\s+/).length === 5;
    const usual = kind === 'cron' ? '0 3 * * *' : '*-*-* 03:00';
    const fits = kind === 'simple' || (kind === 'cron') === isCron;
    change({ ...draft, kind, schedule: fits ? draft.schedule : usual });
  };
  return (
    <>
      <fieldset className="cl-choices">
        <legend>Schedule</legend>
        {kinds.map(([kind, label, meaning]) => (
          <label key={kind}>
            <input type="radio" name="kind" checked={draft.kind === kind} onChange={() => select(kind)} />
            <span>
              {label}: <span className="cl-dim">{meaning}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isSimple ? (
        <SpanField
          label="Period"
          span={draft.timeout}
          change={(timeout) => change({ ...draft, timeout })}
          fault={faults.get('timeout')}
        />
      ) : (
        <TimesFields draft={draft} change={change} faults={faults} />
      )}
      <SpanField
        label="Grace time"
        description="How long after the expected ping the check goes down."
        span={draft.grace}
        change={(grace) => change({ ...draft, grace })}
        fault={faults.get('grace')}
      />
      <Meaning draft={draft} preview={preview} error={error} />
    </>
  );
}

/** The fields of a schedule with times and a zone. */
function TimesFields({
  draft,
  change,
  faults,
}: DraftProps & { readonly faults: ReadonlyMap<string, string> }) {
  return (
    <>
      <TextInput
        label={draft.kind === 'cron' ? 'Cron line' : 'OnCalendar'}
        value={draft.schedule}
        onChange={({ currentTarget: { value } }) => change({ ...draft, schedule: value })}
        error={faults.get('schedule')}
        classNames={{ input: 'cl-mono' }}
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
      />
      <TextInput
        label="Time zone of the schedule"
        value={draft.tz}
        onChange={({ currentTarget: { value } }) => change({ ...draft, tz: value })}
        error={faults.get('tz')}
        list="zones"
        maxLength={50}
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id="zones">
        {['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

function SpanField({
  label,
  description,
  span,
  change,
  fault,
}: {
  readonly label: string;
  readonly description?: string;
  readonly span: Span;
  readonly change: (span: Span) => void;
  readonly fault: string | undefined;
}) {
  return (
    <div className="cl-span">
      <TextInput
        label={label}
        description={description}
        value={span.count}
        onChange={({ currentTarget: { value } }) => change({ ...span, count: value })}
        error={fault === undefined ? undefined : 'It must be from 1 minute to 365 days, as a whole number.'}
        inputMode="numeric"
        maxLength={9}
        autoComplete="off"
      />
      <select
        className="cl-select"
        aria-label={`Unit of ${label.toLowerCase()}`}
        value={span.unit}
        onChange={({ currentTarget: { value } }) => change({ ...span, unit: value as Unit })}
      >
        {units.map(([unit]) => (
          <option key={unit} value={unit}>
            {unit}
          </option>
        ))}
      </select>
    </div>
  );
}

function downAfter(at: string, grace: Span): string {
  const down = new Date(Date.parse(at) + Number(secondsOf(grace)) * 1_000);
  return Number.isNaN(down.getTime())
    ? ''
    : `Without a ping, it goes down on ${exactTime(down.toISOString())}.`;
}

function Meaning({
  draft: { kind, grace, tz },
  preview,
  error,
}: {
  readonly draft: ScheduleDraft;
  readonly preview: SchedulePreview | undefined;
  readonly error: unknown;
}) {
  const ownZone = useShownZone();
  if (preview === undefined) return error === null ? null : <p className="cl-strip">{sentenceOf(error)}</p>;
  if (!preview.ok) return <p className="cl-dim">Correct the schedule to see what it means.</p>;
  return (
    <section className="cl-preview" aria-label="What the schedule means">
      <p>{preview.sentence}</p>
      {kind !== 'simple' && (
        <ol>
          {preview.next.map(({ at, local, note }, place) => (
            <li key={at}>
              <span className="cl-times">{local}</span>{' '}
              <span className="cl-dim">
                ({tz !== ownZone && `${exactTime(at)}, `}
                <Moment at={at} />)
              </span>
              {place === 0 && <div className="cl-note">{downAfter(at, grace)}</div>}
              {note !== undefined && <div className="cl-note">{note}</div>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
