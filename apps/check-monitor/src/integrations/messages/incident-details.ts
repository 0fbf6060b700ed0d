import type { AlertEvent } from './alert-event.js';
import { type Fact, factText } from './event-facts.js';
import type { EventView } from './event-view.js';

/**
 * Facts of an event by the names and types that rules of PagerDuty and Opsgenie match on: `Total pings` is a number,
 * the project is there even if it has no name.
 */
export function incidentDetails(
  { projectName }: AlertEvent,
  { facts, body }: EventView,
  codeOf = (text: string) => text,
): Readonly<Record<string, string | number>> {
  const entries = facts.map((fact): [string, string | number] => [
    sentenceCase(fact.label),
    detailOf(fact, codeOf),
  ]);
  return {
    Project: projectName,
    ...Object.fromEntries(entries),
    ...(body === undefined ? {} : { 'Last ping body': body }),
  };
}

function detailOf(fact: Fact, codeOf: (text: string) => string): string | number {
  if (fact.label === 'Total Pings') return Number(factText(fact));
  return 'codes' in fact ? codeOf(factText(fact)) : factText(fact);
}

/** `Last Ping` becomes `Last ping`. */
function sentenceCase(label: string): string {
  return label.slice(0, 1) + label.slice(1).toLowerCase();
}
