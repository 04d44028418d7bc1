/** Pairs of an older and a current value of an enumeration. */
export type RenamedValues = readonly (readonly [older: string, current: string])[]

/** All names that one value of an enumeration has had. Each name belongs to one value for good. */
export type ValueNames = readonly string[]

export interface EnteredValues {
  readonly values: readonly ValueNames[]
  readonly problems: readonly string[]
}

/** Adds the renames, and the declared values that are new. */
export function enterValues(
  before: readonly ValueNames[],
  declared: readonly string[],
  renamed: RenamedValues,
): EnteredValues {
  const values: ValueNames[] = [...before]
  const problems: string[] = []
  const placeOf = (name: string): number => values.findIndex((names) => names.includes(name))
  for (const [older, current] of renamed) {
    const place = placeOf(older)
    const taken = placeOf(current)
    if (place < 0 || place === taken) continue
    if (taken < 0) values[place] = [...(values[place] ?? []), current]
    else {
      problems.push(
        `${current} is or was another value, so ${older} cannot get its name; choose a new name`,
      )
    }
  }
  for (const name of declared.filter((one) => placeOf(one) < 0)) values.push([name])
  for (const names of values) {
    const twice = names.filter((name) => declared.includes(name))
    if (twice.length < 2) continue
    problems.push(`${twice.join(' and ')} are names of the same value; choose a new name`)
  }
  return { values, problems }
}

/** The declared value of each older name. */
export function formerValuesIn(
  values: readonly ValueNames[],
  declared: readonly string[],
): RenamedValues {
  return values.flatMap((names) => {
    const current = names.find((name) => declared.includes(name))
    if (current === undefined) return []
    return names.filter((name) => name !== current).map((name) => [name, current] as const)
  })
}
