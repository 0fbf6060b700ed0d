export { refreshMs, useKey, useSettled } from './activity.browser.js';
export { background, consolePath, createPageClient, sendPing, serviceUrl } from './api.browser.js';
export { useInterval, useNow } from './clock.browser.js';
export { CodeBlock, CopyText } from './copy-text.js';
export { type Column, DataTable } from './data-table.js';
export { ErrorPanel } from './error-panel.js';
export { DowntimeStrip, DurationChart } from './history-charts.js';
export { Icon, type IconName } from './icons.js';
export { LifeLine } from './life-line.js';
export type { Life } from './life-line-marks.js';
export { type ListPage, listPageOf } from './list-page.js';
export { nextPage } from './next-page.js';
export { type KeyKind, keyKinds, opensslCommand, type ShellKind } from './openssl-command.js';
export { EmptyState, Loaded, Moment, useTitle, Waiting } from './page-parts.js';
export { holdsPrivateKey } from './private-key.js';
export { Redirect } from './redirect.js';
export { faultsOf, Refusal, sentenceOf, statusOf } from './refusal.js';
export { RunStrip } from './run-strip.js';
export {
  fieldsOf,
  labelOf as settingLabel,
  type SettingField,
  type SettingsSchema,
  settingsFrom,
} from './schema-fields.js';
export { Session } from './session.js';
export type { Me, SessionEnds, SessionState } from './session-state.js';
export { SessionWatch, useSession } from './session-view.js';
export { Brand, Front, type NavigationLink, Shell } from './shell.js';
export { type Credentials, Fault, PasswordField, SignInForm } from './sign-in.js';
export { startConsole } from './start.js';
export { StateChip, type StateShape, type Tone } from './state-chip.js';
export { useTabIcon } from './tab-icon.browser.js';
export { openTabChannel } from './tabs.browser.js';
export { countOf, dayOf, exactTime, lengthOf, relativeTime, spanText } from './times.js';
export { useList } from './use-list.browser.js';
