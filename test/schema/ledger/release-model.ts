import * as fc from 'fast-check'
import type { AttributeDefinition, Definitions } from '../../../src/schema/definition.ts'
import { modelRuns } from '../../support/model-runs.ts'

export const LEDGER_RUNS = modelRuns('LEDGER_RUNS', 1_000, 20_000)

export function definitionsWith(
  attributes: Readonly<Record<string, AttributeDefinition>>,
  displayName: string,
): Definitions {
  const thing = {
    uid: 'api::thing.thing',
    file: 'thing.json',
    kind: 'collectionType' as const,
    collectionName: 'things',
    singularName: 'thing',
    pluralName: 'things',
    displayName,
    draftAndPublish: false,
    localized: false,
    attributes,
  }
  return { contentTypes: [thing], components: [] }
}

const at = fc.nat(3)
/** Whether attributes keep their `from` of the release before. */
const keepsFrom = fc.boolean()

/** A step from one release to the next. `at` selects attributes. */
export const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), at, keepsFrom }),
  fc.record({
    kind: fc.constant('rename' as const),
    at,
    to: at,
    keepsFrom,
    /** `from` has a stored name such as `title~2`, if there is one. */
    byStoredName: fc.boolean(),
  }),
  /** Gives an attribute an older name again, without `from`. */
  fc.record({ kind: fc.constant('revert' as const), at, to: at, keepsFrom }),
  fc.record({ kind: fc.constant('remove' as const), at, keepsFrom }),
  fc.record({ kind: fc.constant('keep' as const), keepsFrom }),
  fc.record({ kind: fc.constant('return' as const), at: fc.nat(4) }),
)

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const NAMES = ['a', 'b', 'c', 'd'] as const

export interface ModelRelease {
  /** The value that each attribute holds: its identity in the model. */
  readonly values: Values
  readonly from: From
  readonly definitions: Definitions
}

type Values = ReadonlyMap<string, number>

/** The older name by attribute. */
type From = ReadonlyMap<string, string>

/** The stored name of a value, if it has one already. */
type StoredName = (value: number) => string | undefined

const EMPTY: Pick<ModelRelease, 'values' | 'from'> = { values: new Map(), from: new Map() }

type Rename = Extract<Step, { readonly kind: 'rename' }>

/** The new name and the older one. */
function sourceOf(before: Values, step: Rename, storedName: StoredName) {
  const [name, to] = namesOf(step)
  const stored = storedName(before.get(name) ?? -1) ?? name
  return [to, step.byStoredName && stored.includes('~') ? stored : name] as const
}

/** Interprets declarations in memory: an attribute keeps its identity until it is removed. */
export class Model {
  #next = 0
  #current: ModelRelease | null = null
  #previous: ModelRelease | null = null
  /** The last start was that of a known release. */
  #isReturned = false
  #wasReturned = false
  readonly #releases: ModelRelease[] = []

  get releases(): readonly ModelRelease[] {
    return this.#releases
  }

  /** Returns the release of the step, or null if the step does not apply. */
  take(step: Step, storedName: StoredName = () => undefined): ModelRelease | null {
    if (step.kind === 'return') return this.#return(this.#releases[step.at] ?? null)
    const { values: before, from } = this.#current ?? EMPTY
    const after = this.#change(before, step)
    if (after === null) return null
    const isKept = ([name]: readonly [string, string]): boolean =>
      step.keepsFrom && after.get(name) === before.get(name)
    const kept = [...from].filter(isKept)
    const renamed = step.kind === 'rename' ? [sourceOf(before, step, storedName)] : []
    return this.#release(after, new Map([...kept, ...renamed]))
  }

  #change(before: Values, step: Exclude<Step, { readonly kind: 'return' }>): Values | null {
    if (step.kind === 'keep') return before
    const name = NAMES[step.at] ?? 'a'
    if (step.kind === 'add') return this.#add(before, name)
    if (!before.has(name)) return null
    if (step.kind === 'remove') return new Map([...before].filter(([other]) => other !== name))
    const [, to] = namesOf(step)
    if (before.has(to) || (step.kind === 'revert' && !this.#isOwn(before.get(name), to)))
      return null
    return new Map([...before].map(([other, value]) => [other === name ? to : other, value]))
  }

  /** The start of the last release failed, so its predecessor goes on. */
  refuse(): void {
    this.#releases.pop()
    this.#current = this.#previous
    this.#isReturned = this.#wasReturned
  }

  #return(release: ModelRelease | null): ModelRelease | null {
    this.#isReturned ||= release !== null
    this.#current = release ?? this.#current
    return release
  }

  /** After a return, a name of another release may stand for its values or for new ones. */
  mayRefuse({ values }: ModelRelease): boolean {
    if (!this.#wasReturned) return false
    const others = this.#releases.flatMap((other) => [...other.values])
    return others.some(([name, value]) => {
      const own = values.get(name)
      return own !== undefined && own !== value && [...values.values()].includes(value)
    })
  }

  #add(before: Values, name: string): Values | null {
    if (before.has(name) || this.#wasUsed(name)) return null
    return new Map([...before, [name, this.#next++]])
  }

  /** Another value that has had the name may return with it. */
  #isOwn(value: number | undefined, name: string): boolean {
    const owners = this.#releases.flatMap(({ values }) => values.get(name) ?? [])
    return owners.length > 0 && owners.every((owner) => owner === value)
  }

  /** A name that comes back without an instruction gets older values, so the model leaves it out. */
  #wasUsed(name: string): boolean {
    const current = [...(this.#current?.values.values() ?? [])]
    return this.#releases.some(({ values }) => {
      const value = values.get(name)
      return value !== undefined && !current.includes(value)
    })
  }

  #release(values: Values, from: From): ModelRelease {
    const attributes = Object.fromEntries(
      [...values.keys()].map((name) => {
        const older = from.get(name)
        return [name, { type: 'string' as const, ...(older !== undefined && { from: older }) }]
      }),
    )
    const definitions = definitionsWith(attributes, `Thing ${this.#releases.length}`)
    const release = { values, from, definitions }
    this.#releases.push(release)
    this.#previous = this.#current
    this.#wasReturned = this.#isReturned
    this.#isReturned = false
    this.#current = release
    return release
  }
}

function namesOf({ at: place, to }: { readonly at: number; readonly to: number }) {
  return [NAMES[place] ?? 'a', NAMES[to] ?? 'a'] as const
}
