import { expect } from 'chai'
import type { Json } from '../../support/server.ts'
import { isList, type ModelAttribute, type ModelHolder } from './evolving-holder.ts'

export interface ModelRelease {
  readonly thing: ModelHolder
  readonly part: ModelHolder
  readonly number: number
}

/** By slot. An absent value is null. The value of a component is a list with one element. */
export type Values = ReadonlyMap<number, unknown>

const DAY_MS = 86_400_000

export class Content {
  #made = 0

  /** A value that no other entry has, except for booleans and values of enumerations. */
  make(attribute: ModelAttribute, part: ModelHolder): unknown {
    const { kind, form, words } = attribute
    const number = (this.#made += 1)
    if (kind === 'number') return number
    if (kind === 'date') return new Date(number * DAY_MS).toISOString().slice(0, 10)
    if (kind === 'word') return number % words.length
    if (kind === 'flag' && form % 2 === 1) return number % 2 === 0
    if (kind === 'part') {
      return [new Map([...part.attributes.values()].map((one) => [one.slot, this.make(one, part)]))]
    }
    return `v${number}`
  }
}

/** The value as a client sends it, and as a response shows it. */
export function showValue(attribute: ModelAttribute, value: unknown, part: ModelHolder): unknown {
  const { kind, form, words, slot } = attribute
  if (value === undefined) return isList(attribute) ? [] : null
  if (kind === 'date') return form % 2 === 0 ? value : `${value as string}T00:00:00.000Z`
  if (kind === 'word') return words[value as number] ?? expect.fail(`slot ${slot} has no value`)
  if (kind !== 'part') return value
  const elements = (value as readonly Values[]).map((one) => showValues(part, one, part))
  return isList(attribute) ? elements : elements[0]
}

export function showValues(
  { attributes }: ModelHolder,
  values: Values,
  part: ModelHolder,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...attributes].map(([name, one]) => [name, showValue(one, values.get(one.slot), part)]),
  )
}

/** The declared attributes of an entry, without the ids of components. */
export function shownEntry(thing: ModelHolder, data: Json, part: ModelHolder): Json {
  return shownIn(thing, data, (element) => shownIn(part, element, (value) => value))
}

function shownIn({ attributes }: ModelHolder, data: Json, show: (element: Json) => Json): Json {
  return Object.fromEntries(
    [...attributes].map(([name, { kind }]) => {
      const value: Json = data[name]
      if (value === null) return [name, null]
      if (kind === 'number') return [name, Number(value)]
      if (kind !== 'part') return [name, value]
      return [name, Array.isArray(value) ? value.map(show) : show(value)]
    }),
  )
}
