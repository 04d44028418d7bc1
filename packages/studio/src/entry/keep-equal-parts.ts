/**
 * Returns `next` with the parts of `before` that equal it, or `before` itself. Fields whose value
 * is unchanged then keep their reference. Components are matched by their key.
 */
export function keepEqualParts<Value>(before: unknown, next: Value): Value {
  return keepEqual(before, next) as Value
}

function keepEqual(before: unknown, next: unknown): unknown {
  if (Object.is(before, next)) return before
  if (Array.isArray(before) && Array.isArray(next)) return keepElements(before, next)
  if (!isRecord(before) || !isRecord(next)) return next
  const kept = Object.fromEntries(
    Object.entries(next).map(([name, value]) => [
      name,
      keepEqual(Object.hasOwn(before, name) ? before[name] : undefined, value),
    ]),
  )
  const names = Object.keys(kept)
  const isEqual =
    names.length === Object.keys(before).length &&
    names.every((name) => Object.hasOwn(before, name) && Object.is(kept[name], before[name]))
  return isEqual ? before : kept
}

function keepElements(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const byKey = new Map(before.map((element, index) => [keyOf(element, index), element]))
  const kept = next.map((element, index) => keepEqual(byKey.get(keyOf(element, index)), element))
  const isEqual =
    kept.length === before.length && kept.every((element, index) => element === before[index])
  return isEqual ? before : kept
}

function keyOf(element: unknown, index: number): unknown {
  return isRecord(element) ? (element['$key'] ?? index) : index
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
