export { auditSentence, outcomeOf } from './audit/audit-sentence.js';
export {
  type BadgeForm,
  badgeAddress,
  badgeAt,
  badgeForms,
  badgeText,
  checkBadges,
} from './badges/badge-texts.js';
export { type Dot, Dots } from './charts/dots.js';
export { expirySentence } from './charts/expiry-sentence.js';
export { type Series, StackedBars } from './charts/stacked-bars.js';
export { pauseFor, useCountdown, useInterval, useNow } from './clock.browser.js';
export { CopyCurl } from './curl/copy-curl.js';
export { SendForm, useForm } from './curl/send-form.js';
export { ColorChoice } from './display/color-choice.js';
export {
  changeDisplay,
  type DashboardLayout,
  type TimeZone,
  useDisplay,
  useShownZone,
} from './display/display.browser.js';
export { DisplayCard } from './display/display-card.js';
export { useStoredChoice } from './display/stored-choice.browser.js';
export { ConfirmDialog, ConfirmForm } from './frame/dialogs/confirm-dialog.js';
export { Drawer } from './frame/dialogs/drawer.js';
export { lazyPage } from './frame/pages/lazy-page.browser.js';
export { MissingPage } from './frame/pages/missing-page.js';
export { WaitingPage } from './frame/pages/waiting-page.js';
export {
  WaitingBars,
  WaitingFacts,
  WaitingLine,
  WaitingLines,
  WaitingPart,
  WaitingSteps,
} from './frame/pages/waiting-parts.js';
export { Redirect } from './frame/redirect.js';
export { nextIn, routerOptions } from './frame/router.browser.js';
export { Brand, Front, Shell } from './frame/shell.js';
export { SignedIn } from './frame/signed-in.js';
export { startConsole } from './frame/start.js';
export { DowntimeStrip, DurationChart } from './history/history-charts.js';
export { RunStrip } from './history/run-strip.js';
export { csrBlocks, csrNames } from './keys/csr-names.js';
export { type KeyKind, keyKinds, opensslCommand, type ShellKind } from './keys/openssl-command.js';
export { holdsPrivateKey } from './keys/private-key.js';
export { LifeLine } from './life/life-line.js';
export type { Life } from './life/life-line-marks.js';
export { lifeSentence, windowText } from './life/life-sentence.js';
export { needsPerson } from './life/needs-person.js';
export { type Mark, StateChip, type Tone } from './life/state-chip.js';
export { nameWords, stateWords } from './life/state-words.js';
export { Steps } from './life/steps.js';
export {
  type BulkProgress,
  type BulkRules,
  nextPartOf as requestOf,
  sendParts,
  startOf,
} from './lists/bulk/bulk-parts.js';
export { namesIn } from './lists/bulk/pasted-names.js';
export { ListEnd } from './lists/pages/list-end.js';
export { nextPage } from './lists/pages/next-page.js';
export { useList } from './lists/pages/use-list.browser.js';
export { MovedRows } from './lists/rows/moved-rows.js';
export { useSteadyList, useSteadyRows } from './lists/rows/use-steady-list.browser.js';
export { SearchForm } from './lists/search-form.js';
export { type Column, DataTable } from './lists/table/data-table.js';
export { ListTable } from './lists/table/list-table.js';
export { LongName } from './lists/table/long-name.js';
export { RowButton } from './lists/table/row-button.js';
export { type Selection, useSelection } from './lists/table/use-selection.browser.js';
export { WaitingTable } from './lists/table/waiting-table.js';
export { hostText } from './names/host-text.js';
export { forgetResource, invalidateChanged } from './operations/changes.browser.js';
export { type ListOptions, listOptions, pageOptions } from './operations/list-options.js';
export { type ListPage, listPageOf } from './operations/list-page.js';
export type { ReplyTo } from './operations/operations.js';
export {
  background,
  keyedBy,
  lookUpOptions,
  ofFrame,
  type QueryFacts,
  type QueryOptions,
  queryOptions,
  showing,
} from './operations/query-options.js';
export { isAffected, resourceOf } from './operations/resource-paths.js';
export type { NavigationLink } from './palette/commands.js';
export { matchingEntries, type PaletteEntry } from './palette/palette-entries.js';
export { AddButton } from './parts/add-button.js';
export { Choice } from './parts/choice.js';
export { ClockNotice } from './parts/clock-notice.js';
export { ByCommand, CodeBlock, CopyText } from './parts/copy-text.js';
export { ErrorPanel } from './parts/error-panel.js';
export { Fact } from './parts/fact.js';
export { Fault, PasswordField } from './parts/form-parts.js';
export { Icon, type IconName } from './parts/icons.js';
export { EmptyState, Loaded, Moment, NextTry, useTitle, Waiting } from './parts/page-parts.js';
export { placesUpTo } from './parts/places.js';
export {
  changedCells,
  type GroupReach,
  type LevelCell,
  type LevelChanges,
  levelChanges,
  otherSpaces,
} from './people/level-changes.js';
export { saveFile } from './save-file.browser.js';
export { scheduleWords } from './schedules/schedule-words.js';
export { live, type QueryTimes, useCalm, useSettled } from './service/activity.browser.js';
export { createPageClient, sendPing, serviceUrl } from './service/api.browser.js';
export { pollMs } from './service/poll-rhythm.js';
export { faultsOf, fixOf, isTemporary, Refusal, sentenceOf, statusOf } from './service/refusal.js';
export { PasswordCard } from './session/password-card.js';
export { Session } from './session/session.js';
export type { Me, SessionEnds, SessionState } from './session/session-state.js';
export { SessionWatch, useSession } from './session/session-view.js';
export { type Credentials, SignInForm } from './session/sign-in.js';
export { openTabChannel } from './session/tabs.browser.js';
export {
  type NestedField,
  type Settings,
  settingAt,
  settingsWith,
  shownSettings,
  type Typed,
} from './settings/nested-settings.js';
export {
  fieldsOf,
  labelOf as settingLabel,
  type SettingField,
  type SettingsSchema,
  settingsFrom,
  typedFrom,
} from './settings/schema-fields.js';
export { useTabIcon } from './tab-icon.browser.js';
export {
  calendarMonth,
  countOf,
  countText,
  dayOf,
  exactTime,
  lengthOf,
  readableTimes,
  relativeTime,
  spanText,
  wholeSentence,
  withMoments,
} from './times.js';
export { forgetUnsaved } from './unsaved/unsaved.browser.js';
