import * as fc from 'fast-check'

export const KINDS = ['text', 'unique', 'number', 'date', 'flag', 'word', 'part'] as const
export type Kind = (typeof KINDS)[number]

/** An attribute of the model. Its values belong to its slot, whatever its name is. */
export interface ModelAttribute {
  readonly slot: number
  readonly kind: Kind
  /** Selects one of the types between which values are converted. */
  readonly form: number
  /** The names of the values of an enumeration. A value is its place. */
  readonly words: readonly string[]
}

/** A content-type or component in one release. */
export interface ModelHolder {
  readonly attributes: ReadonlyMap<string, ModelAttribute>
  readonly from: ReadonlyMap<string, unknown>
}

export const NO_ATTRIBUTES: ModelHolder = { attributes: new Map(), from: new Map() }

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const FORMS: Readonly<Record<Kind, readonly object[]>> = {
  text: [{ type: 'string' }, { type: 'text' }, { type: 'richtext' }],
  unique: [{ type: 'string', unique: true }],
  number: [{ type: 'integer' }, { type: 'decimal' }, { type: 'float' }],
  date: [{ type: 'date' }, { type: 'datetime', convert: { timeZone: 'UTC' } }],
  flag: [
    { type: 'string', convert: 'null' },
    { type: 'boolean', convert: 'null' },
  ],
  word: [{ type: 'enumeration' }],
  part: [false, true].map((repeatable) => {
    return { type: 'component', component: 'shared.part', repeatable }
  }),
}

const place = fc.nat(NAMES.length - 1)

export const holderStep = (kinds: readonly Kind[]) =>
  fc.record({
    verb: fc.constantFrom(
      'add',
      'add',
      'rename',
      'rename',
      'revert',
      'revert',
      'remove',
      'retype',
      'retype',
    ),
    at: place,
    to: place,
    kind: fc.constantFrom(...kinds),
    /** Whether attributes keep their `from`. */
    keepsFrom: fc.boolean(),
  })

export type HolderStep = ReturnType<typeof holderStep> extends fc.Arbitrary<infer T> ? T : never

export function declareHolder({ attributes, from }: ModelHolder): Readonly<Record<string, object>> {
  return Object.fromEntries(
    [...attributes].map(([name, { kind, form, words }]) => {
      const source = from.get(name)
      const values = kind === 'word' ? { enum: words } : {}
      const type = FORMS[kind][form % FORMS[kind].length]
      return [name, { ...type, ...values, ...(source !== undefined && { from: source }) }]
    }),
  )
}

/** Equal for two releases if no value needs another form. */
export function formOf({ kind, form, words }: ModelAttribute): string {
  return `${kind} ${form % FORMS[kind].length} ${words.join()}`
}

export function isList({ kind, form }: ModelAttribute): boolean {
  return kind === 'part' && form % 2 === 1
}

export function slotsOf({ attributes }: ModelHolder): readonly number[] {
  return [...attributes.values()].map(({ slot }) => slot)
}

/** Interprets declarations in memory: an attribute keeps its slot until it is removed, or no value fits its type. */
export class HolderModel {
  #next: number
  readonly #releases: ModelHolder[] = []

  /** @param first the number of its first slot */
  constructor(first: number) {
    this.#next = first
  }

  enter(holder: ModelHolder): void {
    this.#releases.push(holder)
  }

  /** Returns the same attributes if the step does not apply. */
  change(before: ModelHolder, { keepsFrom, ...step }: HolderStep): ModelHolder {
    const kept = keepsFrom ? [...before.from].filter(([, one]) => typeof one === 'string') : []
    const after = this.#apply(before, step)
    const same = ([name]: readonly [string, unknown]): boolean =>
      after.attributes.get(name)?.slot === before.attributes.get(name)?.slot
    return { ...after, from: new Map([...kept.filter(same), ...after.from]) }
  }

  /** After a return, a name of another release may stand for its values or for new ones. */
  mayRefuse(holder: ModelHolder): boolean {
    const slots = slotsOf(holder)
    const others = this.#releases.flatMap(({ attributes }) => [...attributes])
    return others.some(([name, { slot }]) => {
      const own = holder.attributes.get(name)
      return own !== undefined && own.slot !== slot && slots.includes(slot)
    })
  }

  #apply({ attributes }: ModelHolder, step: Omit<HolderStep, 'keepsFrom'>): ModelHolder {
    const same: ModelHolder = { attributes, from: new Map() }
    const { verb, kind } = step
    const to = elementAt(
      NAMES.filter((one) => !attributes.has(one)),
      step.to,
    )
    if (verb === 'add') return this.#add(same, to, kind)
    const [name, own] = elementAt([...attributes], step.at) ?? []
    if (name === undefined || own === undefined) return same
    if (verb === 'retype') return this.#retype(same, name, own)
    if (verb === 'remove') {
      return { ...same, attributes: new Map([...attributes].filter(([one]) => one !== name)) }
    }
    const former = NAMES.filter((one) => !attributes.has(one) && this.#isOwn(one, own.slot))
    const reverted = verb === 'revert' ? elementAt(former, step.to) : undefined
    if (reverted !== undefined) return renameIn(same, [name, reverted], new Map())
    return to === undefined ? same : renameIn(same, [name, to], new Map([[to, name]]))
  }

  /** Values of no other attribute return with the name. */
  #isOwn(name: string, slot: number): boolean {
    const owners = this.#owners(name)
    return owners.length > 0 && owners.every((one) => one === slot)
  }

  /** Another value that had the name would return with it. */
  #add(same: ModelHolder, name: string | undefined, kind: Kind): ModelHolder {
    if (name === undefined) return same
    const slots = slotsOf(same)
    if (!this.#owners(name).every((slot) => slots.includes(slot))) return same
    return { ...same, attributes: new Map([...same.attributes, [name, this.#make(kind)]]) }
  }

  #retype({ attributes }: ModelHolder, name: string, own: ModelAttribute): ModelHolder {
    const form = own.form + 1
    if (own.kind === 'word') {
      const at = form % own.words.length
      const older = own.words[at] ?? ''
      const newer = `w${(this.#next += 1)}`
      const words = own.words.map((word) => (word === older ? newer : word))
      const changed = new Map(attributes).set(name, { ...own, form, words })
      return { attributes: changed, from: new Map([[name, { [older]: newer }]]) }
    }
    // No text is a boolean.
    const slot = own.kind === 'flag' ? (this.#next += 1) : own.slot
    return { attributes: new Map(attributes).set(name, { ...own, form, slot }), from: new Map() }
  }

  #make(kind: Kind): ModelAttribute {
    const slot = (this.#next += 1)
    const words = kind === 'word' ? ['x', 'y', 'z'].map((word) => `${word}${slot}`) : []
    return { slot, kind, form: 0, words }
  }

  /** All slots that had this name. An earlier one may return with it, without an instruction. */
  #owners(name: string): readonly number[] {
    return this.#releases.flatMap(({ attributes }) => attributes.get(name)?.slot ?? [])
  }
}

function renameIn(
  { attributes }: ModelHolder,
  [name, to]: readonly [string, string],
  from: ModelHolder['from'],
): ModelHolder {
  const renamed = [...attributes].map(([one, value]) => [one === name ? to : one, value] as const)
  return { attributes: new Map(renamed), from }
}

function elementAt<T>(elements: readonly T[], place: number): T | undefined {
  return elements[place % Math.max(elements.length, 1)]
}
