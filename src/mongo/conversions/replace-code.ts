export interface LocaleCodes {
  readonly from: string
  readonly to: string
}

/**
 * Replaces the code at a path such as `items.*.locale`, where `*` stands for each element of a list. Returns the value
 * itself if it has no such code there.
 */
export function replaceCode(value: unknown, path: string, codes: LocaleCodes): unknown {
  return replaceAt(value, path.split('.'), codes)
}

function replaceAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  codes: LocaleCodes,
): unknown {
  if (step === undefined) return value === codes.from ? codes.to : value
  if (step === '*') {
    if (!Array.isArray(value)) return value
    const list = value as readonly unknown[]
    const elements = list.map((element) => replaceAt(element, rest, codes))
    return elements.some((element, place) => element !== list[place]) ? elements : value
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return value
  const before = (value as Readonly<Record<string, unknown>>)[step]
  const after = replaceAt(before, rest, codes)
  return after === before ? value : { ...value, [step]: after }
}
