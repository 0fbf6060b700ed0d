/** The numbers from 0 up to and without `count`: keys of elements that are all alike. */
export function placesUpTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, place) => place);
}
