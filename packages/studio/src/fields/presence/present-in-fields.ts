import { createContext } from 'react'
import type { Presence } from '../../api/presence.ts'
import type { Place } from '../field-props.ts'

type People = readonly Presence[]

const NO_PEOPLE: People = []

/** The other users by place. Lists stay the same object until they change. */
export class PresentInFields {
  #byPlace: ReadonlyMap<Place, People> = new Map()
  readonly #within = new Map<Place, People>()
  readonly #listeners = new Set<() => void>()

  show(others: People, placeOf: (field: string) => Place): void {
    const found = new Map<Place, Presence[]>()
    for (const one of others) {
      if (one.field === null) continue
      const place = placeOf(one.field)
      found.set(place, [...(found.get(place) ?? []), one])
    }
    const before = this.#byPlace
    this.#byPlace = new Map(
      [...found].map(([place, people]) => [place, unlessSame(before.get(place), people)]),
    )
    for (const listener of this.#listeners) listener()
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  at(place: Place): People {
    return this.#byPlace.get(place) ?? NO_PEOPLE
  }

  /** In the field, and in the fields within it. */
  within(place: Place): People {
    const people = [...this.#byPlace]
      .filter(([one]) => one === place || one.startsWith(`${place}/`))
      .flatMap(([, some]) => some)
    const same = unlessSame(this.#within.get(place), people)
    this.#within.set(place, same)
    return same
  }
}

function unlessSame(before: People | undefined, now: People): People {
  if (before === undefined || before.length !== now.length) return now
  const isSame = now.every(({ id, name }, at) => before[at]?.id === id && before[at].name === name)
  return isSame ? before : now
}

/** Null in drawers with new entries. */
export const PresentInFieldsContext = createContext<PresentInFields | null>(null)
