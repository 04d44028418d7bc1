import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Definitions } from '../../../src/schema/definition.ts'
import { enterDefinitions } from '../../../src/schema/ledger/enter-definitions.ts'
import { EMPTY_LEDGER, type Ledger } from '../../../src/schema/ledger/ledger.ts'

interface DeclaredType {
  readonly from?: readonly string[]
  readonly collection?: string
}

function definitionsOf(
  types: Readonly<Record<string, DeclaredType>>,
  components: Readonly<Record<string, DeclaredType>> = {},
  displayName = '',
): Definitions {
  return {
    contentTypes: Object.entries(types).map(([name, { from, collection = `${name}s` }]) => ({
      uid: uidOf(name),
      file: `${name}.json`,
      kind: 'collectionType',
      collectionName: collection,
      singularName: name,
      pluralName: `${name}s`,
      displayName,
      draftAndPublish: false,
      localized: false,
      ...(from && { from: from.map(uidOf) }),
      attributes: {
        self: { type: 'relation', relation: 'oneToOne', target: uidOf(name) },
        title: { type: 'string' },
      },
    })),
    components: Object.entries(components).map(([uid, { from }]) => ({
      uid,
      file: `${uid}.json`,
      displayName,
      ...(from && { from }),
      attributes: { text: { type: 'string' } },
    })),
  }
}

function uidOf(name: string): string {
  return name.includes('::') ? name : `api::${name}.${name}`
}

function enter(before: Ledger, definitions: Definitions) {
  return enterDefinitions(before, definitions, () => false, new Date(0))
}

/** The content-types after the last of several releases, by declared uid. */
function after(...releases: readonly Definitions[]) {
  let ledger = EMPTY_LEDGER
  let entered = enter(ledger, { contentTypes: [], components: [] })
  for (const release of releases) {
    entered = enter(ledger, release)
    ledger = entered.ledger
  }
  const { contentTypes, components } = entered.definitions
  return {
    ...entered,
    stored: Object.fromEntries(
      contentTypes.map(({ uid, declaredUid = uid, collectionName }) => [
        declaredUid,
        [uid, collectionName],
      ]),
    ),
    components: Object.fromEntries(components.map(({ uid, storedUid = uid }) => [uid, storedUid])),
  }
}

const ARTICLE = 'api::article.article'
const POST = 'api::post.post'

describe('enterHolders', () => {
  it('leaves users and files to their own content-types', () => {
    const user = 'plugin::users-permissions.user'
    const fault = (name: string) => `${name}.json: from: users and files keep their content-types`
    expect(after(definitionsOf({ recipe: { from: [user] } })).faults).to.deep.equal([
      fault('recipe'),
    ])
    expect(after(definitionsOf({ [user]: { from: ['recipe'] } })).faults).to.deep.equal([
      fault(user),
    ])
  })

  it('keeps the uid and the collection of a renamed content-type', () => {
    const { stored, renamedHolders, definitions } = after(
      definitionsOf({ article: { collection: 'texts' } }),
      definitionsOf({ post: { from: ['article'] } }),
    )
    expect(stored).to.deep.equal({ [POST]: [ARTICLE, 'texts'] })
    expect(renamedHolders).to.deep.equal([{ from: ARTICLE, to: POST }])
    expect(definitions.contentTypes[0]?.attributes['self']).to.include({ target: ARTICLE })
    expect(definitions.contentTypes[0]?.formerUids).to.deep.equal([ARTICLE])
  })

  it('remembers a rename without its instruction', () => {
    const { stored } = after(
      definitionsOf({ article: {} }),
      definitionsOf({ post: { from: ['article'] } }),
      definitionsOf({ post: {} }),
    )
    expect(stored).to.deep.equal({ [POST]: [ARTICLE, 'articles'] })
  })

  it('ignores the instruction in a new environment', () => {
    expect(after(definitionsOf({ post: { from: ['article'] } })).stored).to.deep.equal({
      [POST]: [POST, 'posts'],
    })
  })

  it('gives a type with any name of a removed one its content', () => {
    const { stored } = after(
      definitionsOf({ article: {} }),
      definitionsOf({ post: { from: ['article'] } }),
      definitionsOf({}),
      definitionsOf({ article: {} }, {}, 'again'),
    )
    expect(stored).to.deep.equal({ [ARTICLE]: [ARTICLE, 'articles'] })
  })

  it('gives a new type with the older name a uid and a collection of its own, for good', () => {
    const releases = [
      definitionsOf({ article: {} }),
      definitionsOf({ post: { from: ['article'] }, article: {} }),
    ]
    const own = [`${ARTICLE}~2`, 'articles~2']
    expect(after(...releases).stored).to.deep.equal({
      [POST]: [ARTICLE, 'articles'],
      [ARTICLE]: own,
    })
    const alone = definitionsOf({ article: {} }, {}, 'alone')
    expect(after(...releases, alone).stored).to.deep.equal({ [ARTICLE]: own })
  })

  it('refuses to rename to a content-type with content of its own', () => {
    const { faults } = after(
      definitionsOf({ article: {}, post: {} }),
      definitionsOf({ post: { from: ['article'] } }),
    )
    expect(faults).to.have.lengthOf(1)
    expect(faults[0]).to.match(/^post\.json: from: api::post\.post has values of its own/)
  })

  it('keeps the stored uid and the attributes of a renamed component', () => {
    const { components, ledger } = after(
      definitionsOf({}, { 'shared.part': {} }),
      definitionsOf({}, { 'shared.section': { from: ['shared.part'] } }),
    )
    expect(components).to.deep.equal({ 'shared.section': 'shared.part' })
    expect(Object.keys(ledger.holders)).to.deep.equal(['shared.part'])
  })

  it('gives a content-type the same content in any order of releases', () => {
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom('add', 'rename', 'remove', 'return'),
        at: fc.nat(5),
        to: fc.nat(3),
      }),
      { maxLength: 20 },
    )
    fc.assert(fc.property(steps, assertIdentities), { numRuns: 500 })
  })
})

const NAMES = ['a', 'b', 'c', 'd'] as const

interface Step {
  readonly kind: string
  readonly at: number
  readonly to: number
}

interface ModelRelease {
  readonly identities: ReadonlyMap<string, number>
  readonly definitions: Definitions
}

/**
 * In the model, a content-type has an identity until it is removed. All its names are then never used again, because a
 * type with a name of a removed one gets its content back.
 */
class Model {
  readonly releases: ModelRelease[] = []
  #current: ModelRelease | undefined
  #previous: ModelRelease | undefined
  #made = 0
  readonly #used = new Set<string>()
  readonly #namesOf = new Map<number, readonly string[]>()

  /** Returns the release of the step, or undefined if the step does not apply. */
  take({ kind, at, to }: Step): ModelRelease | undefined {
    const last = this.#current?.identities ?? new Map<string, number>()
    const name = NAMES[at % NAMES.length] ?? 'a'
    if (kind === 'return') return (this.#current = this.releases[at] ?? this.#current)
    if (kind === 'add') return this.#add(last, name)
    return kind === 'remove' ? this.#remove(last, name) : this.#rename(last, name, NAMES[to] ?? 'a')
  }

  /**
   * After a return, a name of another release may stand for its content or for a new type. A rename may also take the
   * name of a type that a newer release has.
   */
  mayRefuse({ identities, definitions }: ModelRelease): boolean {
    const isRename = definitions.contentTypes.some(({ from }) => from !== undefined)
    return this.releases.some((other) =>
      [...other.identities].some(([name, id]) => {
        const own = identities.get(name)
        const isOther = own !== undefined && own !== id
        return isOther && (isRename || [...identities.values()].includes(id))
      }),
    )
  }

  /** The start of the last release failed, so its predecessor goes on. */
  refuse(): void {
    this.releases.pop()
    this.#current = this.#previous
  }

  #add(last: ModelRelease['identities'], name: string): ModelRelease | undefined {
    if (last.has(name) || this.#used.has(name)) return undefined
    const former = this.releases.findLast(({ identities }) => identities.has(name))
    const id = former?.identities.get(name)
    // The type would get this content back.
    if (id !== undefined && ![...last.values()].includes(id)) return undefined
    return this.#release(new Map([...last, [name, this.#made]]))
  }

  #remove(last: ModelRelease['identities'], name: string): ModelRelease | undefined {
    const id = last.get(name)
    if (id === undefined) return undefined
    for (const own of this.#namesOf.get(id) ?? []) this.#used.add(own)
    return this.#release(new Map([...last].filter(([other]) => other !== name)))
  }

  #rename(last: ModelRelease['identities'], name: string, to: string): ModelRelease | undefined {
    if (!last.has(name) || last.has(to) || this.#used.has(to)) return undefined
    const renamed = [...last].map(([other, id]) => [other === name ? to : other, id] as const)
    return this.#release(new Map(renamed), { [to]: name })
  }

  #release(
    identities: ModelRelease['identities'],
    from: Readonly<Record<string, string>> = {},
  ): ModelRelease {
    const types = [...identities.keys()].map((name): [string, DeclaredType] => {
      const older = from[name]
      return [name, older === undefined ? {} : { from: [older] }]
    })
    const definitions = definitionsOf(Object.fromEntries(types), {}, String(this.#made))
    this.#made += 1
    const release = { identities, definitions }
    for (const [name, id] of identities) {
      this.#namesOf.set(id, [...(this.#namesOf.get(id) ?? []), name])
    }
    this.releases.push(release)
    this.#previous = this.#current
    this.#current = release
    return release
  }
}

function assertIdentities(steps: readonly Step[]): void {
  const model = new Model()
  const placeOf = new Map<number, string>()
  let ledger = EMPTY_LEDGER
  for (const step of steps) {
    const release = model.take(step)
    if (release === undefined) continue
    const entered = enter(ledger, release.definitions)
    if (entered.faults.length > 0) {
      expect(model.mayRefuse(release), entered.faults.join()).to.equal(true)
      model.refuse()
      continue
    }
    ledger = entered.ledger
    const places = new Set<string>()
    for (const { uid, declaredUid = uid, collectionName } of entered.definitions.contentTypes) {
      const id = release.identities.get(declaredUid.split('.')[1] ?? '') ?? -1
      const place = `${uid} ${collectionName}`
      expect(placeOf.get(id) ?? place, JSON.stringify(steps)).to.equal(place)
      placeOf.set(id, place)
      places.add(place)
    }
    expect(places.size).to.equal(release.identities.size)
  }
  expect(new Set(placeOf.values()).size).to.equal(placeOf.size)
}
