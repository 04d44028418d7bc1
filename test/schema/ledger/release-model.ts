import * as fc from 'fast-check'
import type { AttributeDefinition, Definitions } from '../../../src/schema/definition.ts'

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

/** A step from one release to the next. `at` selects attributes. */
export const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(2), to: fc.nat(2) }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('keep' as const) }),
  fc.record({ kind: fc.constant('return' as const), at: fc.nat(4) }),
)

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const NAMES = ['a', 'b', 'c'] as const

export interface ModelRelease {
  /** The value that each attribute holds: its identity in the model. */
  readonly values: ReadonlyMap<string, number>
  readonly definitions: Definitions
}

/** Interprets declarations in memory: an attribute keeps its identity until it is removed. */
export class Model {
  #next = 0
  #current: ModelRelease | null = null
  #previous: ModelRelease | null = null
  readonly #releases: ModelRelease[] = []

  get releases(): readonly ModelRelease[] {
    return this.#releases
  }

  /** Returns the release of the step, or null if the step does not apply. */
  take(step: Step): ModelRelease | null {
    if (step.kind === 'return') return this.#return(this.#releases[step.at] ?? null)
    const before = this.#current?.values ?? new Map<string, number>()
    if (step.kind === 'keep') return this.#release(before)
    const name = NAMES[step.at] ?? 'a'
    if (step.kind === 'add') return this.#add(before, name)
    return step.kind === 'remove'
      ? this.#remove(before, name)
      : this.#rename(before, name, NAMES[step.to] ?? 'a')
  }

  /** The start of the last release failed, so its predecessor goes on. */
  refuse(): void {
    this.#releases.pop()
    this.#current = this.#previous
  }

  #return(release: ModelRelease | null): ModelRelease | null {
    this.#current = release ?? this.#current
    return release
  }

  /**
   * After a return, a name of another release may stand for its values or for new ones. A rename may also take the name
   * of an attribute that a newer release has.
   */
  mayRefuse({ values, definitions }: ModelRelease): boolean {
    const others = this.#releases.flatMap((other) => [...other.values])
    const isRename = JSON.stringify(definitions).includes('"from"')
    return others.some(([name, value]) => {
      const own = values.get(name)
      const isOther = own !== undefined && own !== value
      return isOther && (isRename || [...values.values()].includes(value))
    })
  }

  #add(before: ReadonlyMap<string, number>, name: string): ModelRelease | null {
    if (before.has(name) || this.#wasUsed(name)) return null
    return this.#release(new Map([...before, [name, this.#next++]]))
  }

  #remove(before: ReadonlyMap<string, number>, name: string): ModelRelease | null {
    if (!before.has(name)) return null
    return this.#release(new Map([...before].filter(([other]) => other !== name)))
  }

  #rename(before: ReadonlyMap<string, number>, name: string, to: string): ModelRelease | null {
    if (!before.has(name) || before.has(to)) return null
    const values = [...before].map(
      ([other, value]) => [other === name ? to : other, value] as const,
    )
    return this.#release(new Map(values), new Map([[to, name]]))
  }

  /** A name that comes back without an instruction gets older values, so the model leaves it out. */
  #wasUsed(name: string): boolean {
    const current = [...(this.#current?.values.values() ?? [])]
    return this.#releases.some(({ values }) => {
      const value = values.get(name)
      return value !== undefined && !current.includes(value)
    })
  }

  #release(
    values: ReadonlyMap<string, number>,
    from: ReadonlyMap<string, string> = new Map(),
  ): ModelRelease {
    const attributes = Object.fromEntries(
      [...values.keys()].map((name) => {
        const older = from.get(name)
        return [name, { type: 'string' as const, ...(older !== undefined && { from: older }) }]
      }),
    )
    const definitions = definitionsWith(attributes, `Thing ${this.#releases.length}`)
    const release = { values, definitions }
    this.#releases.push(release)
    this.#previous = this.#current
    this.#current = release
    return release
  }
}
