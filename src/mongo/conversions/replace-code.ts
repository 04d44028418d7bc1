import { isRecord } from '../../base/is-record.ts'

export interface LocaleCodes {
  readonly from: string
  readonly to: string
}

/**
 * Replaces the code at a path such as `items.*.locale`, where `*` stands for each element of a list. A path with `{}` at
 * its end is that of an object with the code as a key. Returns the value itself if it has no such code there.
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
  if (!isRecord(value)) return value
  if (step === '{}') return replaceKey(value, codes)
  if (!Object.hasOwn(value, step)) return value
  const before = value[step]
  const after = replaceAt(before, rest, codes)
  return after === before ? value : { ...value, [step]: after }
}

/** A value of the new code would be left from a removed locale. */
function replaceKey(value: object, { from, to }: LocaleCodes): object {
  if (!Object.hasOwn(value, from)) return value
  const kept = Object.entries(value).filter(([key]) => key !== to)
  return Object.fromEntries(kept.map(([key, one]) => [key === from ? to : key, one]))
}
