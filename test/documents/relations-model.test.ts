import { expect } from 'chai'
import * as fc from 'fast-check'
import type { DocumentContext } from '../../src/documents/context.ts'
import { createDocument } from '../../src/documents/create-document.ts'
import { deleteDocument } from '../../src/documents/delete-document.ts'
import { findDocument } from '../../src/documents/find-documents.ts'
import { updateDocument } from '../../src/documents/update-document.ts'
import type { WriteTarget } from '../../src/documents/write-target.ts'
import { ValidationError } from '../../src/errors.ts'
import { compileCollections } from '../../src/mongo/collection-plan.ts'
import { openIdAllocator } from '../../src/mongo/id-allocator.ts'
import { versionsOf } from '../../src/mongo/stored-version.ts'
import { syncIndexes } from '../../src/mongo/sync-indexes.ts'
import { parseEntryQuery } from '../../src/query/parse-query.ts'
import type { Status } from '../../src/query/query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type {
  AttributeDefinition,
  ContentTypeDefinition,
  RelationKind,
} from '../../src/schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../src/schema/plan.ts'
import { rulesWith } from '../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../test-database.ts'
import {
  type Change,
  type Family,
  openRelationModel,
  type RelationModel,
  type TypeName,
  type VersionName,
} from './relation-model.ts'

const RELATION = (
  relation: RelationKind,
  target: TypeName,
  otherSide: { readonly inversedBy?: string; readonly mappedBy?: string } = {},
): AttributeDefinition => ({
  type: 'relation',
  relation,
  target: `api::${target}.${target}`,
  ...otherSide,
})

/** Every kind of relation, both ways and one way, between two content-types and of one with itself. */
const ATTRIBUTES: Readonly<Record<TypeName, Readonly<Record<string, AttributeDefinition>>>> = {
  left: {
    partner: RELATION('oneToOne', 'right', { inversedBy: 'partner' }),
    group: RELATION('manyToOne', 'right', { inversedBy: 'members' }),
    tags: RELATION('manyToMany', 'right', { inversedBy: 'tagged' }),
    wayOne: RELATION('oneToOne', 'right'),
    wayGroup: RELATION('manyToOne', 'right'),
    wayList: RELATION('oneToMany', 'right'),
    wayMany: RELATION('manyToMany', 'right'),
    parent: RELATION('manyToOne', 'left', { inversedBy: 'children' }),
    children: RELATION('oneToMany', 'left', { mappedBy: 'parent' }),
    twin: RELATION('oneToOne', 'left', { inversedBy: 'twinOf' }),
    twinOf: RELATION('oneToOne', 'left', { mappedBy: 'twin' }),
    friends: RELATION('manyToMany', 'left', { inversedBy: 'friendOf' }),
    friendOf: RELATION('manyToMany', 'left', { mappedBy: 'friends' }),
  },
  right: {
    partner: RELATION('oneToOne', 'left', { mappedBy: 'partner' }),
    members: RELATION('oneToMany', 'left', { mappedBy: 'group' }),
    tagged: RELATION('manyToMany', 'left', { mappedBy: 'tags' }),
  },
}

const LOCALES = ['en', 'fr'] as const
const STATUSES: readonly Status[] = ['draft', 'published']
const TYPES: readonly TypeName[] = ['left', 'right']
const DOCUMENTS = 4
const rules = rulesWith('en', 'fr')

type Step =
  | {
      readonly kind: 'write'
      readonly type: TypeName
      readonly document: number
      readonly locale: 'en' | 'fr'
      readonly status: Status
      readonly payload: Readonly<Record<string, Change>>
    }
  | {
      readonly kind: 'delete'
      readonly type: TypeName
      readonly document: number
      readonly locale: 'en' | 'fr' | 'all'
    }

type WriteStep = Extract<Step, { readonly kind: 'write' }>

/** A write, and whether it was done. */
interface Outcome {
  readonly asked: WriteStep
  readonly isDone: boolean
}

type Snapshot = ReturnType<RelationModel['copy']>

const index = fc.nat({ max: DOCUMENTS - 1 })

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ set: fc.array(index, { maxLength: 4 }) }),
  fc.record({
    connect: fc.array(
      fc.record({
        target: index,
        position: fc.oneof(
          fc.constant({ end: true as const }),
          fc.constant({ start: true as const }),
          fc.record({ before: index }),
          fc.record({ after: index }),
        ),
      }),
      { maxLength: 3 },
    ),
    disconnect: fc.array(index, { maxLength: 2 }),
  }),
)

const writeOf = (type: TypeName): fc.Arbitrary<WriteStep> =>
  fc.record({
    kind: fc.constant('write' as const),
    type: fc.constant(type),
    document: index,
    locale: fc.constantFrom(...LOCALES),
    status: fc.constantFrom(...STATUSES),
    payload: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(ATTRIBUTES[type])), change), {
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map((entries) => Object.fromEntries(entries)),
  })

const deletion: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('delete' as const),
  type: fc.constantFrom(...TYPES),
  document: index,
  locale: fc.constantFrom(...LOCALES, 'all' as const),
})

const write: fc.Arbitrary<WriteStep> = fc.oneof(
  { arbitrary: writeOf('left'), weight: 3 },
  { arbitrary: writeOf('right'), weight: 2 },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: write, weight: 9 },
  { arbitrary: deletion, weight: 1 },
)

const familyOf: fc.Arbitrary<Family> = fc.record({
  left: fc.record({ draftAndPublish: fc.boolean(), localized: fc.boolean() }),
  right: fc.record({ draftAndPublish: fc.boolean(), localized: fc.boolean() }),
})

const documentIdOf = (type: TypeName, document: number): string =>
  `${type.padEnd(23, '0')}${document}`

type Connect = Extract<Change, { readonly connect: unknown }>['connect'][number]

/** A write to the first document that gives it a child. */
const childOf = (target: number, status: Status, position: Connect['position']): WriteStep => ({
  kind: 'write',
  type: 'left',
  document: 0,
  locale: 'en',
  status,
  payload: { children: { connect: [{ target, position }], disconnect: [] } },
})

/** A position that refers to a member of the draft alone, in a write that publishes. */
const PUBLISHED_BESIDE_A_DRAFT: [Family, Step[]] = [
  {
    left: { draftAndPublish: true, localized: false },
    right: { draftAndPublish: false, localized: false },
  },
  [childOf(1, 'draft', { end: true }), childOf(0, 'published', { before: 1 })],
]

describe('relations, beside a model in memory', () => {
  let test: TestDatabase
  let clock = 0
  const schemas = new Map<string, Promise<Schema>>()

  before(async () => {
    test = await openTestDatabase('relations_model')
  })

  after(() => test.drop())

  /** A schema of its own collections, made once for each combination of options. */
  const schemaOf = (family: Family): Promise<Schema> => {
    const name = TYPES.map(
      (type) => `${type}${Number(family[type].draftAndPublish)}${Number(family[type].localized)}`,
    ).join('_')
    const known = schemas.get(name) ?? makeSchema(family, name)
    schemas.set(name, known)
    return known
  }

  const makeSchema = async (family: Family, name: string): Promise<Schema> => {
    const contentTypes = TYPES.map((type): ContentTypeDefinition => ({
      uid: `api::${type}.${type}`,
      file: `content-types/${type}.json`,
      kind: 'collectionType',
      collectionName: `${name}_${type}`,
      singularName: type,
      pluralName: `${type}s`,
      displayName: type,
      ...family[type],
      attributes: ATTRIBUTES[type],
    }))
    const schema = compileSchema({ contentTypes, components: [] })
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    return schema
  }

  const planIn = (schema: Schema, type: TypeName): ContentTypePlan => {
    const plan = schema.contentTypes.get(`api::${type}.${type}`)
    if (plan === undefined) throw new Error(`${type} was not compiled`)
    return plan
  }

  /** One run: an empty database with a schema, and the model beside it. */
  async function open(family: Family): Promise<Run> {
    const schema = await schemaOf(family)
    for (const type of TYPES) await versionsOf(test.database, planIn(schema, type)).deleteMany({})
    const context: DocumentContext = {
      database: test.database,
      ids: openIdAllocator(test.database),
      contentType: (uid) => planIn(schema, uid === 'api::left.left' ? 'left' : 'right'),
      now: () => new Date((clock += 1000)),
      newDocumentId: () => 'unused',
    }
    const run = new Run(context, (type) => planIn(schema, type), openRelationModel(family))
    // They exist from the start, so that there is something to relate; the last as a draft alone.
    for (const type of TYPES) {
      for (let document = 0; document < DOCUMENTS; document += 1) {
        const status = document === DOCUMENTS - 1 ? 'draft' : 'published'
        await run.apply({ kind: 'write', type, document, locale: 'en', status, payload: {} })
      }
    }
    return run
  }

  class Run {
    readonly #context: DocumentContext
    readonly #planOf: (type: TypeName) => ContentTypePlan
    readonly model: RelationModel

    constructor(
      context: DocumentContext,
      planOf: (type: TypeName) => ContentTypePlan,
      model: RelationModel,
    ) {
      this.#context = context
      this.#planOf = planOf
      this.model = model
    }

    /** Both must agree on whether it can be done. */
    async apply(asked: Step): Promise<void> {
      if (asked.kind === 'delete') {
        await this.#delete(asked)
        this.model.delete(asked.type, asked.document, asked.locale)
        return
      }
      const isDone = await this.write(asked)
      expect(this.model.write(asked), JSON.stringify(asked)).to.equal(isDone)
      await this.learn()
    }

    /** Answers whether it was done; a refusal is one of what a client did wrong. */
    async write(asked: WriteStep): Promise<boolean> {
      const plan = this.#planOf(asked.type)
      const target: WriteTarget = {
        plan,
        documentId: documentIdOf(asked.type, asked.document),
        key: {
          locale: plan.localized ? asked.locale : null,
          status: plan.draftAndPublish ? asked.status : 'published',
        },
        writer: { mayRead: () => true, locale: asked.locale },
      }
      const data = Object.fromEntries(
        Object.entries(asked.payload).map(([name, change]) => [
          name,
          this.#payloadOf(plan, name, change),
        ]),
      )
      const exists = this.model.exists(asked.type, asked.document)
      try {
        await (exists
          ? updateDocument(this.#context, target, data)
          : createDocument(this.#context, target, data))
        return true
      } catch (error) {
        if (error instanceof ValidationError) return false
        throw error
      }
    }

    #payloadOf(plan: ContentTypePlan, name: string, change: Change): unknown {
      const attribute = plan.attributes.get(name)
      const type = attribute?.kind === 'relation' ? targetOf(attribute.targetUid) : 'left'
      const id = (document: number): string => documentIdOf(type, document)
      if ('set' in change) return change.set.length === 0 ? null : change.set.map(id)
      return {
        connect: change.connect.map(({ target, position }) => ({
          documentId: id(target),
          position: Object.fromEntries(
            Object.entries(position).map(([side, at]) => [side, at === true ? at : id(at)]),
          ),
        })),
        disconnect: change.disconnect.map(id),
      }
    }

    async #delete(asked: Extract<Step, { readonly kind: 'delete' }>): Promise<void> {
      const plan = this.#planOf(asked.type)
      const which =
        asked.locale === 'all' ? 'all' : plan.localized ? [asked.locale] : ([null] as const)
      await deleteDocument(this.#context, plan, documentIdOf(asked.type, asked.document), which)
    }

    /** The ids of versions order what no one has ordered: the model takes them as they are. */
    async learn(): Promise<void> {
      for (const type of TYPES) {
        const found = await versionsOf(test.database, this.#planOf(type)).find().toArray()
        for (const version of found) {
          this.model.learnId(
            {
              type,
              document: Number(String(version['documentId']).slice(-1)),
              locale: version['locale'] as string | null,
              status: version['status'] as Status,
            },
            version['id'] as number,
          )
        }
      }
    }

    /** What is read of every version, in every locale and status, beside what the model says. */
    async compare(): Promise<void> {
      for (const version of this.model.versions()) {
        const isDrafted = this.#planOf(version.type).draftAndPublish
        for (const reader of isDrafted ? [version.status] : STATUSES) {
          const shown = await this.read(version, reader)
          const name = `${JSON.stringify(version)} read as ${reader}`
          expect(shown, name).to.deep.equal(this.model.show(version, reader))
        }
      }
    }

    /** Which of several came first is for the database to say: one order must explain what is there. */
    async explain(before: Snapshot, orders: readonly (readonly Outcome[])[]): Promise<void> {
      const faults: unknown[] = []
      for (const order of orders) {
        try {
          this.model.restore(before)
          for (const { asked, isDone } of order) expect(this.model.write(asked)).to.equal(isDone)
          await this.learn()
          await this.compare()
          return
        } catch (error) {
          faults.push(error)
        }
      }
      throw faults[0]
    }

    async read(
      version: VersionName,
      reader: Status,
    ): Promise<Readonly<Record<string, readonly number[]>>> {
      const { type, document, locale, status } = version
      const plan = this.#planOf(type)
      const asked = { populate: '*', status: reader, ...(locale !== null && { locale }) }
      const query = parseEntryQuery(asked, plan, rules)
      const key = { locale, status }
      const { database } = this.#context
      const entry = await findDocument(database, plan, documentIdOf(type, document), key, query)
      const names = Object.keys(ATTRIBUTES[type])
      return Object.fromEntries(names.map((name) => [name, documentsIn(entry?.[name])]))
    }
  }

  it('reads what was written from both sides, order included', async function () {
    this.timeout(120_000)
    await fc.assert(
      fc.asyncProperty(
        familyOf,
        fc.array(step, { minLength: 1, maxLength: 12 }),
        async (family, steps) => {
          const run = await open(family)
          for (const each of steps) await run.apply(each)
          await run.compare()
        },
      ),
      { numRuns: RUNS, endOnFailure: false, examples: [PUBLISHED_BESIDE_A_DRAFT] },
    )
  })

  it('loses nothing when two write at once', async function () {
    this.timeout(120_000)
    await fc.assert(
      fc.asyncProperty(
        familyOf,
        fc.array(fc.tuple(write, write), { minLength: 1, maxLength: 4 }),
        async (family, pairs) => {
          const run = await open(family)
          for (const [one, other] of pairs) {
            const before = run.model.copy()
            const done = await Promise.all([run.write(one), run.write(other)])
            const [first, second] = [
              { asked: one, isDone: done[0] },
              { asked: other, isDone: done[1] },
            ]
            await run.explain(before, [
              [first, second],
              [second, first],
            ])
          }
        },
      ),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })
})

const RUNS = Number(process.env['RELATION_RUNS'] ?? 40)

function targetOf(uid: string): TypeName {
  return uid === 'api::left.left' ? 'left' : 'right'
}

/** The documents that a populated attribute shows, by their numbers. */
function documentsIn(shown: unknown): readonly number[] {
  const entries = Array.isArray(shown) ? shown : shown === null ? [] : [shown]
  return (entries as readonly { readonly documentId: string }[]).map(({ documentId }) =>
    Number(documentId.slice(-1)),
  )
}
