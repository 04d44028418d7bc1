import { SYSTEM } from '../../src/mongo/connection/authorship.ts'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import type { DocumentContext } from '../../src/content/context.ts'
import { getPastState, listHistory } from '../../src/content/history/find-history.ts'
import { restoreContent } from '../../src/content/history/restore-content.ts'
import { createDocument } from '../../src/content/write/create-document.ts'
import { deleteDocument } from '../../src/content/write/delete-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../src/content/write/publish-document.ts'
import { singleDocumentId } from '../../src/content/write/single-document-id.ts'
import { updateDocument } from '../../src/content/write/update-document.ts'
import { CmsError } from '../../src/base/errors.ts'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import { COMMITS } from '../../src/mongo/connection/commit-record.ts'
import { openIdAllocator } from '../../src/mongo/system/id-allocator.ts'
import { revisionOf } from '../../src/mongo/versions/version-fields.ts'
import { type StoredVersion, versionsOf } from '../../src/mongo/versions/stored-version.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import type { ActionLocales, Status } from '../../src/query/query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { ContentTypeDefinition, Data } from '../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import {
  type Action,
  type Family,
  LOCALES,
  type ModelVersion,
  type Part,
  type Place,
  Refusal,
  type Selection,
  VersionModel,
  type Values,
} from '../../tools/simulate/src/models/version-model.ts'
import { modelRuns } from '../support/model-runs.ts'

/** Number of sequences over all combinations of options. */
const RUNS = modelRuns('VERSION_RUNS', 5, 120)
const LENGTH = 25
const TAGS = ['tag00000000000000000000a', 'tag00000000000000000000b', 'tag00000000000000000000c']
const ACTIONS = {
  publish: publishDocument,
  unpublish: unpublishDocument,
  discard: discardDraft,
} as const
const writer = { mayRead: () => true, locale: 'en' }
const localized = { i18n: { localized: true } }

function definitionOf({ draftAndPublish, localized: isLocalized, single }: Family) {
  const name = `thing_${[draftAndPublish, isLocalized, single].map(Number).join('')}`
  const definition: ContentTypeDefinition = {
    uid: 'api::thing.thing',
    file: 'content-types/thing.json',
    kind: single ? 'singleType' : 'collectionType',
    collectionName: name,
    singularName: 'thing',
    pluralName: 'things',
    displayName: 'Thing',
    draftAndPublish,
    localized: isLocalized,
    history: true,
    attributes: {
      title: { type: 'string', required: true, pluginOptions: localized },
      slug: { type: 'string', unique: true, pluginOptions: localized },
      tags: {
        type: 'relation',
        relation: 'manyToMany',
        target: 'api::tag.tag',
        pluginOptions: localized,
      },
      part: { type: 'component', component: 'shared.part', pluginOptions: localized },
      rank: { type: 'integer', min: 0 },
      code: { type: 'string', unique: true },
    },
  }
  return definition
}

const TAG: ContentTypeDefinition = {
  uid: 'api::tag.tag',
  file: 'content-types/tag.json',
  kind: 'collectionType',
  collectionName: 'tags',
  singularName: 'tag',
  pluralName: 'tags',
  displayName: 'Tag',
  draftAndPublish: false,
  localized: false,
  attributes: { name: { type: 'string' } },
}

/** A sent payload. A component without an `id` replaces the stored one. */
type Payload = Partial<Omit<Values, 'part'>> & { readonly part?: { readonly text: string } | null }

const few = (...values: readonly string[]): fc.Arbitrary<string | null> =>
  fc.option(fc.constantFrom(...values), { freq: 3 })
const title = fc.option(fc.constantFrom('one', 'two', 'three'), { freq: 9 })
const members = {
  slug: few('s', 't'),
  tags: fc.shuffledSubarray(TAGS),
  part: fc.option(fc.record({ text: fc.constantFrom('a', 'b') })),
  rank: fc.constantFrom(0, 1, 2, -1, null),
  code: few('c', 'd', 'e'),
}
const payload: fc.Arbitrary<Payload> = fc.record({ title, ...members }, { requiredKeys: [] })
const whole: fc.Arbitrary<Payload> = fc.record({ title, ...members }, { requiredKeys: ['title'] })

const place: fc.Arbitrary<Place> = fc.record({
  document: fc.nat({ max: 2 }),
  locale: fc.constantFrom(...LOCALES),
})
const status = fc.constantFrom<Status>('draft', 'published')
const selection: fc.Arbitrary<Selection> = fc.oneof(
  fc.constantFrom(...LOCALES).map((locale) => [locale]),
  fc.constant('*' as const),
  fc.subarray([...LOCALES], { minLength: 2 }),
)

describe('versions of documents compared with a model in memory', () => {
  let test: TestDatabase
  let clock = 0
  const plans = new Map<string, Promise<ContentTypePlan>>()

  before(async () => {
    test = await openTestDatabase('versions_model')
  })

  after(() => test.drop())

  const planFor = async (family: Family): Promise<ContentTypePlan> => {
    const part = {
      uid: 'shared.part',
      file: 'components/shared/part.json',
      displayName: 'Part',
      attributes: { text: { type: 'string' } },
    } as const
    const contentTypes = [definitionOf(family), TAG]
    const schema = compileSchema({ contentTypes, components: [part] })
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    const tags = versionsOf(test.database, planIn(schema.contentTypes, 'api::tag.tag'))
    for (const [index, documentId] of TAGS.entries()) {
      const _id = `${documentId}::published`
      const tag = { id: index + 1, documentId, locale: '', status: 'published' }
      await tags.updateOne({ _id }, { $setOnInsert: tag }, { upsert: true })
    }
    return planIn(schema.contentTypes, 'api::thing.thing')
  }

  /** Returns an empty collection and its model. */
  async function open(family: Family): Promise<{ model: VersionModel; real: Real }> {
    const key = JSON.stringify(family)
    const made = plans.get(key) ?? planFor(family)
    plans.set(key, made)
    const plan = await made
    await versionsOf(test.database, plan).deleteMany({})
    await test.database.collection(COMMITS).deleteMany({})
    const context: DocumentContext = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => (uid === 'api::tag.tag' ? tagOf(plan) : plan),
      now: () => new Date((clock += 1000)),
      newDocumentId: () => 'unused',
      hashPassword: (password) => Promise.resolve(password),
    }
    return { model: new VersionModel(family), real: new Real(context, plan) }
  }

  const kinds: readonly (readonly [string, readonly boolean[]])[] = [
    ['collection types', [false]],
    ['single types', [true]],
  ]
  for (const [label, singles] of kinds) {
    it(`match the model after random operations on ${label}`, async function () {
      this.timeout(RUNS * 2_000)
      const family: fc.Arbitrary<Family> = fc.record({
        draftAndPublish: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.boolean()),
        localized: fc.oneof({ arbitrary: fc.constant(true), weight: 2 }, fc.boolean()),
        single: fc.constantFrom(...singles),
      })
      const commands = fc.commands(
        [
          fc.tuple(place, status, whole).map((asked) => new Create(...asked)),
          fc.tuple(place, status, payload).map((asked) => new Update(...asked)),
          fc.tuple(place, status, payload).map((asked) => new Update(...asked)),
          act('publish'),
          act('unpublish'),
          act('discard'),
          fc.tuple(place, fc.boolean()).map((asked) => new Delete(...asked)),
          fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 50 })).map((asked) => new Restore(...asked)),
        ],
        { maxCommands: LENGTH, size: 'max' },
      )
      await fc.assert(
        fc.asyncProperty(family, commands, async (options, sequence) => {
          const opened = await open(options)
          await fc.asyncModelRun(() => opened, sequence)
          for (const document of [0, 1, 2]) await opened.real.delete(document, '*')
          await opened.real.compare([])
        }),
        { numRuns: Math.ceil(RUNS / kinds.length), endOnFailure: false },
      )
    })
  }

  it('are explained by one order of two concurrent operations', async function () {
    this.timeout(RUNS * 2_000)
    const anything: fc.Arbitrary<Command> = fc.oneof(
      {
        arbitrary: fc.tuple(place, status, payload).map((asked) => new Update(...asked)),
        weight: 4,
      },
      act('publish'),
      act('unpublish'),
      act('discard'),
      fc.tuple(place, fc.boolean()).map((asked) => new Delete(...asked)),
    )
    const first = fc.tuple(place, status, whole).map((asked) => new Create(...asked))
    const family: fc.Arbitrary<Family> = fc.record({
      draftAndPublish: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.boolean()),
      localized: fc.oneof({ arbitrary: fc.constant(true), weight: 2 }, fc.boolean()),
      single: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        family,
        fc.array(fc.oneof(first, anything), { minLength: 2, maxLength: 8 }),
        fc.array(fc.tuple(anything, anything), { minLength: 1, maxLength: 4 }),
        async (options, steps, pairs) => {
          const opened = await open(options)
          let { model } = opened
          const may = (command: Command): boolean => command.check(model)
          for (const step of steps.filter(may)) {
            if (may(step)) await step.run(model, opened.real)
          }
          for (const pair of pairs) {
            if (pair.every(may)) model = await atOnce(pair, model, opened.real)
          }
        },
      ),
      { numRuns: RUNS, endOnFailure: false, examples: [BEGUN_IN_TWO_LOCALES] },
    )
  })

  it('create only their collections and id counters', async () => {
    const client = await MongoClient.connect(test.uri)
    try {
      const found = await client.db(test.name).listCollections({}, { nameOnly: true }).toArray()
      const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'))
      for (const name of names) expect(name).to.match(/^(thing_[01]{3}|tags|quire_.*)$/)
      const counters = await client.db(test.name).collection('quire_counters').find().toArray()
      for (const { _id } of counters) {
        expect(String(_id)).to.match(/^(thing_[01]{3}|component:shared\.part)$/)
      }
    } finally {
      await client.close()
    }
  })
})

const act = (action: Action): fc.Arbitrary<Act> =>
  fc.tuple(fc.nat({ max: 2 }), selection).map(([document, locales]) => {
    return new Act(action, document, locales)
  })

/** The real operations and the stored state. */
class Real {
  readonly #context: DocumentContext
  readonly #plan: ContentTypePlan
  readonly #ids = new Map<unknown, number>()
  readonly #times = new Map<object, number>()
  /** The content of each revision according to the model. */
  readonly #past = new Map<string, PastVersion>()

  constructor(context: DocumentContext, plan: ContentTypePlan) {
    this.#context = context
    this.#plan = plan
  }

  async write(
    { document, locale }: Place,
    asked: Status,
    data: Payload,
    { creating }: { readonly creating: boolean },
  ): Promise<readonly StoredVersion[]> {
    const plan = this.#plan
    const key = {
      locale: plan.localized ? locale : '',
      status: plan.draftAndPublish ? asked : ('published' as const),
    }
    const target = { plan, documentId: this.#documentId(document), key, writer, origin: SYSTEM }
    const work = creating ? createDocument : updateDocument
    return [await work(this.#context, target, data)]
  }

  act(action: Action, document: number, asked: Selection): Promise<readonly StoredVersion[]> {
    const plan = this.#plan
    return ACTIONS[action](this.#context, {
      plan,
      documentId: this.#documentId(document),
      locales: plan.localized ? localesOf(asked) : { kind: 'one', locales: [''] },
      writer,
      origin: SYSTEM,
    })
  }

  async delete(document: number, locale: string): Promise<void> {
    const locales = locale === '*' || !this.#plan.localized ? ('all' as const) : [locale]
    const documentId = this.#documentId(document)
    const request = { plan: this.#plan, documentId, locales, origin: SYSTEM }
    await deleteDocument(this.#context, request)
  }

  /** Picks one of all past revisions of a document by number. Returns null if there are none. */
  async pastOf(document: number, nth: number): Promise<PastVersion | null> {
    const locales = [...LOCALES, '']
    const documentId = this.#documentId(document)
    const selection = { documentId, locales }
    const page = { before: null, limit: 1_000 }
    const { versions } = await listHistory(this.#context, this.#plan, selection, page)
    const listed = versions
      .filter(({ op }) => op === 'put')
      .map(({ revision, locale = '' }) => `${documentId} ${locale} ${revision}`)
    const known = [...this.#past].filter(([key]) => key.startsWith(documentId))
    expect(new Set(listed)).to.deep.equal(new Set(known.map(([key]) => key)))
    return known[nth % known.length]?.[1] ?? null
  }

  async restore({ document, locale, revision }: PastVersion): Promise<readonly StoredVersion[]> {
    const plan = this.#plan
    const documentId = this.#documentId(document)
    const selection = { documentId, locales: [locale], revision, mayRead: () => true }
    const past = await getPastState(this.#context, plan, selection)
    if (past === null) throw new Error(`${revision} of ${documentId} is not kept`)
    const status = plan.draftAndPublish ? ('draft' as const) : ('published' as const)
    const target = { plan, documentId, key: { locale, status }, writer, origin: SYSTEM }
    return [await restoreContent(this.#context, target, past.content, null)]
  }

  /** Draft and published versions with equal revisions must have equal content. */
  #remember(actual: StoredVersion | undefined, { document, locale, values }: ModelVersion): void {
    const revision = actual === undefined ? '' : revisionOf(actual)
    const key = `${this.#documentId(document)} ${locale} ${revision}`
    const { values: known } = this.#past.get(key) ?? { values }
    const textsOf = ({ part, ...rest }: Values) => ({ ...rest, text: part?.text ?? null })
    expect(textsOf(known), key).to.deep.equal(textsOf(values))
    this.#past.set(key, { document, locale, values, revision })
  }

  /** Checks that the stored versions are exactly those of the model. */
  async compare(expected: readonly ModelVersion[]): Promise<void> {
    const found = await versionsOf(this.#context.database, this.#plan).find().toArray()
    const stored = new Map(
      found.map((version) => [version._id, version as unknown as StoredVersion]),
    )
    expect([...stored.keys()]).to.have.members(expected.map((version) => this.#keyOf(version)))
    for (const version of expected) {
      this.expectSame(stored.get(this.#keyOf(version)), version)
      this.#remember(stored.get(this.#keyOf(version)), version)
    }
    for (const { documentId, locale, status: at, createdAt } of stored.values()) {
      if (!this.#plan.draftAndPublish || at === 'draft') continue
      const draft = stored.get(`${documentId}:${locale}:draft`)
      expect(draft?.createdAt, 'of the draft of what is published').to.deep.equal(createdAt)
    }
  }

  /** Returns the stored content without ids and times. */
  async content(): Promise<Content> {
    const found = await versionsOf(this.#context.database, this.#plan).find().sort('_id').toArray()
    return found.map((version) => [
      version._id,
      valuesOf(version, (version['part'] as Part | null)?.text ?? null),
    ])
  }

  contentOf(versions: readonly ModelVersion[]): Content {
    return versions
      .map((version): Content[number] => {
        const { values } = version
        return [this.#keyOf(version), valuesOf({ ...values }, values.part?.text ?? null)]
      })
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
  }

  expectSame(actual: StoredVersion | undefined, version: ModelVersion): void {
    const { values, identity, publication } = version
    const name = this.#keyOf(version)
    if (actual === undefined) throw new Error(`${name} is missing`)
    const { title, slug, tags, rank, code, locale, status: at } = actual
    const part = actual['part'] as { readonly id: number; readonly text: string } | null
    expect(
      { title, slug, tags, rank, code, text: part?.text ?? null, locale, status: at },
      name,
    ).to.deep.equal({
      title: values.title,
      slug: values.slug,
      tags: values.tags,
      rank: values.rank,
      code: values.code,
      text: values.part?.text ?? null,
      locale: version.locale,
      status: version.status,
    })
    this.#expectId('version', identity, actual.id, name)
    if (part !== null) this.#expectId('component', values.part?.mark, part.id, `${name} part`)
    this.#expectTime(identity, actual.createdAt, `createdAt of ${name}`)
    expect(actual.publishedAt === null, `publishedAt of ${name}`).to.equal(publication === null)
    if (publication !== null) {
      this.#expectTime(publication, actual.publishedAt, `publishedAt of ${name}`)
    }
  }

  /** Checks that an owner keeps its id and that no other owner has it. */
  #expectId(sequence: string, owner: unknown, id: number, name: string): void {
    const known = this.#ids.get(owner)
    expect(id, `id of ${name}`).to.equal(known ?? id)
    if (known !== undefined) return
    const others = [...this.#ids].filter(([other]) => typeof other === typeof owner)
    const given = others.map(([, taken]) => taken)
    expect(given, `${sequence} ids, beside that of ${name}`).to.not.include(id)
    this.#ids.set(owner, id)
  }

  #expectTime(owner: object, time: Date | null, name: string): void {
    const at = time?.getTime() ?? Number.NaN
    expect(at, name).to.equal(this.#times.get(owner) ?? at)
    this.#times.set(owner, at)
  }

  #keyOf({ document, locale, status: at }: ModelVersion): string {
    return `${this.#documentId(document)}:${locale}:${at}`
  }

  #documentId(document: number): string {
    return this.#plan.kind === 'singleType'
      ? singleDocumentId(this.#plan.uid)
      : `doc${'0'.repeat(20)}${document}`
  }
}

/** The content of a version at one revision. */
interface PastVersion {
  readonly document: number
  readonly locale: string
  readonly values: Values
  readonly revision: string
}

type Content = readonly (readonly [key: string, values: unknown])[]

function valuesOf({ title, slug, tags, rank, code }: Data, text: string | null): unknown {
  return { title, slug, tags, rank, code, text }
}

interface Command extends fc.AsyncCommand<VersionModel, Real> {
  ours(model: VersionModel): readonly ModelVersion[]
  theirs(real: Real, family: Family): Promise<readonly StoredVersion[]>
}

/** Runs the command on both sides. They must agree on success, result and stored state. */
async function both(
  command: Pick<Command, 'ours' | 'theirs'>,
  model: VersionModel,
  real: Real,
): Promise<void> {
  const [ours, theirs] = [
    await outcomeOf(() => Promise.resolve().then(() => command.ours(model))),
    await outcomeOf(() => command.theirs(real, model.family)),
  ]
  expect(theirs.refusal).to.equal(ours.refusal)
  expect(theirs.answers.length).to.equal(ours.answers.length)
  await real.compare(model.versions)
  for (const [index, version] of ours.answers.entries()) {
    real.expectSame(theirs.answers[index], version)
  }
}

/**
 * Runs two commands concurrently and checks that one of the two orders explains the outcome.
 *
 * @returns the stored content afterwards
 */
async function atOnce(
  [one, other]: readonly [Command, Command],
  model: VersionModel,
  real: Real,
): Promise<VersionModel> {
  const [first, second] = await Promise.all(
    [one, other].map((command) => outcomeOf(() => command.theirs(real, model.family))),
  )
  const content = await real.content()
  const explanations: unknown[] = []
  for (const order of [
    [[one, first] as const, [other, second] as const],
    [[other, second] as const, [one, first] as const],
  ]) {
    const copy = model.copy()
    const refusals: unknown[] = []
    for (const [command] of order) {
      const { refusal } = await outcomeOf(() => Promise.resolve().then(() => command.ours(copy)))
      refusals.push(refusal)
    }
    const explanation = { refusals, content: real.contentOf(copy.versions) }
    const found = { refusals: order.map(([, outcome]) => outcome?.refusal), content }
    if (isDeepStrictEqual(explanation, found)) return copy
    explanations.push({ explanation, found })
  }
  throw new Error(`no order explains ${JSON.stringify(explanations, null, 1)}`)
}

async function outcomeOf<T>(
  work: () => Promise<readonly T[]>,
): Promise<{ readonly answers: readonly T[]; readonly refusal: number | null }> {
  try {
    return { answers: await work(), refusal: null }
  } catch (error) {
    if (error instanceof Refusal || error instanceof CmsError) {
      return { answers: [], refusal: error.status }
    }
    throw error
  }
}

/** Marks each sent component as a new one, as the model expects. */
function marked({ part, ...rest }: Payload): Partial<Values> {
  if (part === undefined) return rest
  return { ...rest, part: part === null ? null : { ...part, mark: Symbol(part.text) } }
}

class Create implements Command {
  readonly place: Place
  readonly status: Status
  readonly payload: Payload

  constructor(at: Place, asked: Status, data: Payload) {
    this.place = at
    this.status = asked
    this.payload = data
  }

  check(model: Readonly<VersionModel>): boolean {
    return !model.family.single && !model.exists(this.place.document)
  }

  run(model: VersionModel, real: Real): Promise<void> {
    return both(this, model, real)
  }

  ours(model: VersionModel): readonly ModelVersion[] {
    return [model.write(this.place, this.status, marked(this.payload), { creating: true })]
  }

  theirs(real: Real): Promise<readonly StoredVersion[]> {
    return real.write(this.place, this.status, this.payload, { creating: true })
  }

  toString(): string {
    return `create ${JSON.stringify([this.place, this.status, this.payload])}`
  }
}

class Update implements Command {
  readonly place: Place
  readonly status: Status
  readonly payload: Payload

  constructor(at: Place, asked: Status, data: Payload) {
    this.place = at
    this.status = asked
    this.payload = data
  }

  check(): boolean {
    return true
  }

  run(model: VersionModel, real: Real): Promise<void> {
    return both(this, model, real)
  }

  ours(model: VersionModel): readonly ModelVersion[] {
    const at = placeIn(model.family, this.place)
    return [model.write(at, this.status, marked(this.payload), { creating: false })]
  }

  theirs(real: Real, family: Family): Promise<readonly StoredVersion[]> {
    return real.write(placeIn(family, this.place), this.status, this.payload, { creating: false })
  }

  toString(): string {
    return `update ${JSON.stringify([this.place, this.status, this.payload])}`
  }
}

class Act implements Command {
  readonly action: Action
  readonly document: number
  readonly locales: Selection

  constructor(action: Action, document: number, locales: Selection) {
    this.action = action
    this.document = document
    this.locales = locales
  }

  check({ family }: Readonly<VersionModel>): boolean {
    return family.draftAndPublish
  }

  run(model: VersionModel, real: Real): Promise<void> {
    return both(this, model, real)
  }

  ours(model: VersionModel): readonly ModelVersion[] {
    return model.act(this.action, documentIn(model.family, this.document), this.locales)
  }

  theirs(real: Real, family: Family): Promise<readonly StoredVersion[]> {
    return real.act(this.action, documentIn(family, this.document), this.locales)
  }

  toString(): string {
    return `${this.action} ${this.document} in ${String(this.locales)}`
  }
}

class Delete implements Command {
  readonly place: Place
  readonly isWhole: boolean

  constructor(at: Place, isWhole: boolean) {
    this.place = at
    this.isWhole = isWhole
  }

  check(): boolean {
    return true
  }

  run(model: VersionModel, real: Real): Promise<void> {
    return both(this, model, real)
  }

  ours(model: VersionModel): readonly ModelVersion[] {
    const { document, locale } = placeIn(model.family, this.place)
    model.delete(document, this.isWhole ? '*' : locale)
    return []
  }

  async theirs(real: Real, family: Family): Promise<readonly StoredVersion[]> {
    const { document, locale } = placeIn(family, this.place)
    await real.delete(document, this.isWhole ? '*' : locale)
    return []
  }

  toString(): string {
    return `delete ${JSON.stringify([this.place, this.isWhole])}`
  }
}

/** Restores a past revision: the draft gets its content under the rules of a normal write. */
class Restore implements fc.AsyncCommand<VersionModel, Real> {
  readonly document: number
  readonly nth: number

  constructor(document: number, nth: number) {
    this.document = document
    this.nth = nth
  }

  check(): boolean {
    return true
  }

  async run(model: VersionModel, real: Real): Promise<void> {
    const past = await real.pastOf(documentIn(model.family, this.document), this.nth)
    if (past === null) return
    const command = new RestorePast(past)
    await both(command, model, real)
  }

  toString(): string {
    return `restore ${this.nth} of ${this.document}`
  }
}

class RestorePast implements Pick<Command, 'ours' | 'theirs'> {
  readonly past: PastVersion

  constructor(past: PastVersion) {
    this.past = past
  }

  /** An equal component stays, with its id. */
  ours(model: VersionModel): readonly ModelVersion[] {
    const { part, ...values } = this.past.values
    const { document, locale } = this.past
    const status = model.family.draftAndPublish ? 'draft' : 'published'
    const current = model.versions.find(
      (one) => one.document === document && one.locale === locale && one.status === status,
    )
    const isEqual = current !== undefined && current.values.part?.text === part?.text
    const payload = isEqual ? values : marked({ ...values, part: part && { text: part.text } })
    return [model.write(this.past, 'draft', payload, { creating: false })]
  }

  theirs(real: Real): Promise<readonly StoredVersion[]> {
    return real.restore(this.past)
  }
}

/** A single type without versions: a shared value must reach the locale that another client creates concurrently. */
const BEGUN_IN_TWO_LOCALES: [Family, Command[], [Command, Command][]] = [
  { draftAndPublish: true, localized: true, single: true },
  [],
  [
    [
      new Update({ document: 0, locale: 'de' }, 'draft', {}),
      new Update({ document: 0, locale: 'en' }, 'draft', { code: 'c' }),
    ],
  ],
]

/** A single type has only one document. */
function documentIn({ single }: Family, document: number): number {
  return single ? 0 : document
}

function placeIn(family: Family, { document, locale }: Place): Place {
  return { document: documentIn(family, document), locale }
}

function localesOf(asked: Selection): ActionLocales {
  if (asked === '*') return { kind: 'every', locales: LOCALES }
  return { kind: asked.length === 1 ? 'one' : 'several', locales: asked }
}

function planIn(plans: ReadonlyMap<string, ContentTypePlan>, uid: string): ContentTypePlan {
  const plan = plans.get(uid)
  if (plan === undefined) throw new Error(`${uid} was not compiled`)
  return plan
}

function tagOf({ attributes }: ContentTypePlan): ContentTypePlan {
  const tags = attributes.get('tags')
  if (tags?.kind !== 'relation') throw new Error('a thing has tags')
  return tags.target()
}
