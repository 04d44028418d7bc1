import * as fc from 'fast-check'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { Schema } from '../../src/schema/plan.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { RelationRun } from './relation-run.ts'
import {
  everyKind,
  family,
  type Family,
  shape,
  type Shape,
  toDefinitions,
} from './relation-shape.ts'
import { type Change, type Connection, type Step, stepIn, type Write } from './relation-steps.ts'
import { modelRuns } from '../support/model-runs.ts'

const RUNS = modelRuns('RELATION_RUNS', 4, 100)

const PLAIN = { draftAndPublish: false, localized: false }
const KINDS = everyKind({ left: PLAIN, right: PLAIN })

/** A write to one relation of one document. */
const writeOf = (
  [type, document, locale, status]: readonly [string, number, Write['locale'], Write['status']],
  name: string,
  change: Change,
): Write => ({
  kind: 'write',
  type,
  document,
  locale,
  status,
  payload: { relations: { [name]: change }, parts: {} },
})

const connect = (target: number, position: Connection['position'] = { end: true }): Change => ({
  connect: [{ target, position }],
  disconnect: [],
})

/** In the model a write creates a missing document, so a write concurrent with a delete is not supported. */
const canBeTold = ([one, other]: readonly [Step, Step]): boolean =>
  one.type !== other.type ||
  one.document !== other.document ||
  (one.kind !== 'delete' && other.kind !== 'delete')

/** A position refers to a member that only the draft has, in a write that publishes. */
const PUBLISHED_BESIDE_A_DRAFT: [Family, Step[]] = [
  { left: { draftAndPublish: true, localized: false }, right: PLAIN },
  [
    writeOf(['left', 0, 'en', 'draft'], 'children', connect(1)),
    writeOf(['left', 0, 'en', 'published'], 'children', connect(0, { before: 1 })),
  ],
]

/** An order is set in one locale, then a member is added in another locale of a document that has only one version. */
const ORDERED_IN_TWO_LOCALES: [Family, Step[]] = [
  { left: { draftAndPublish: false, localized: true }, right: PLAIN },
  [
    writeOf(['right', 2, 'en', 'published'], 'tagged', { set: [1, 0], form: 'long' }),
    writeOf(['left', 3, 'fr', 'published'], 'tags', connect(0)),
    writeOf(['right', 2, 'fr', 'published'], 'tagged', connect(3)),
  ],
]

/** Two locales of one document concurrently get an owner without locales, while one of the locales is created. */
const TAKEN_IN_TWO_LOCALES: [Family, [Step, Step][]] = [
  { left: PLAIN, right: { draftAndPublish: false, localized: true } },
  [
    [
      writeOf(['right', 0, 'en', 'published'], 'partner', connect(0)),
      writeOf(['right', 0, 'fr', 'published'], 'partner', connect(1)),
    ],
  ],
]

/** The same in a locale that this write creates: drafts have a member before the locale has a version. */
const BEGUN_BESIDE_A_DRAFT: [Family, Step[]] = [
  { left: { draftAndPublish: true, localized: true }, right: PLAIN },
  [
    writeOf(['left', 1, 'fr', 'draft'], 'parent', { set: [2], form: 'short' }),
    writeOf(['left', 2, 'fr', 'published'], 'children', connect(0, { before: 1 })),
  ],
]

describe('relations compared with a model in memory', () => {
  let test: TestDatabase
  const schemas = new Map<string, Promise<Schema>>()

  before(async () => {
    test = await openTestDatabase('relations_model')
  })

  after(() => test.drop())

  /** Runs with all kinds of relations. Collections and indexes are created once per combination of options. */
  const openFamily = async (asked: Family): Promise<RelationRun> => {
    const declared = everyKind(asked)
    const name = Object.values(asked)
      .map(({ draftAndPublish, localized }) => `${Number(draftAndPublish)}${Number(localized)}`)
      .join('_')
    const schema = schemas.get(name) ?? makeSchema(declared, `kinds_${name}`)
    schemas.set(name, schema)
    return RelationRun.open(test, declared, await schema)
  }

  const makeSchema = async (declared: Shape, prefix: string): Promise<Schema> => {
    const schema = compileSchema(toDefinitions(declared, prefix))
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    return schema
  }

  it('returns written relations from both sides in order', async function () {
    this.timeout(120_000 + RUNS * 1_000)
    await fc.assert(
      fc.asyncProperty(
        family,
        fc.array(stepIn(KINDS), { minLength: 1, maxLength: 12 }),
        async (asked, steps) => {
          const run = await openFamily(asked)
          for (const each of steps) await run.apply(each)
          await run.compare()
        },
      ),
      {
        numRuns: RUNS,
        endOnFailure: false,
        examples: [PUBLISHED_BESIDE_A_DRAFT, BEGUN_BESIDE_A_DRAFT, ORDERED_IN_TWO_LOCALES],
      },
    )
  })

  it('returns written relations for random schemas, including components and zones', async function () {
    this.timeout(120_000 + RUNS * 1_000)
    const asked = shape.chain((declared) =>
      fc.record({
        declared: fc.constant(declared),
        steps: fc.array(stepIn(declared), { minLength: 1, maxLength: 10 }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(asked, async ({ declared, steps }) => {
        // Without indexes, because results must not depend on them.
        const schema = compileSchema(toDefinitions(declared, 'random'))
        const run = await RelationRun.open(test, declared, schema)
        for (const each of steps) await run.apply(each)
        await run.compare()
      }),
      { numRuns: RUNS * 2, endOnFailure: false },
    )
  })

  it('explains concurrent steps by one of their two orders', async function () {
    this.timeout(120_000 + RUNS * 1_000)
    await fc.assert(
      fc.asyncProperty(
        family,
        fc.array(fc.tuple(stepIn(KINDS), stepIn(KINDS)).filter(canBeTold), {
          minLength: 1,
          maxLength: 4,
        }),
        async (asked, pairs) => {
          const run = await openFamily(asked)
          for (const [one, other] of pairs) {
            const before = run.model.copy()
            const done = await Promise.all([run.take(one), run.take(other)])
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
      { numRuns: Math.ceil(RUNS / 3), examples: [TAKEN_IN_TWO_LOCALES] },
    )
  })
})
