import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { compactContent } from '../../../src/server/services/compact-content.ts'
import { planMoves } from '../../../src/schema/ledger/compact-names.ts'
import { readLedger } from '../../../src/mongo/system/schema-ledger.ts'
import { declaredNamesOf } from '../../../src/server/compaction/holder-tables.ts'
import { compactSchema } from '../../../src/server/compaction/compact-schema.ts'
import { loadProject } from '../../../src/server/services/load-schema.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import type { Base } from '../../../src/server/services/open-base.ts'
import { modelRuns } from '../../support/model-runs.ts'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'
import { withTestBase } from '../../support/test-base.ts'
import { testUri } from '../../support/test-database.ts'
import { Killed, killedAt } from '../../support/killed-database.ts'

const RUNS = modelRuns('COMPACTION_RUNS', 4, 40)

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'] as const
const KINDS = ['text', 'unique', 'part', 'parts', 'zone'] as const
type Kind = (typeof KINDS)[number]

const ATTRIBUTES: Readonly<Record<Kind, object>> = {
  text: { type: 'string' },
  unique: { type: 'string', unique: true },
  part: { type: 'component', component: 'shared.part' },
  parts: { type: 'component', component: 'shared.part', repeatable: true },
  zone: { type: 'dynamiczone', components: ['shared.part'] },
}

/** The attributes of a content-type or component, by name. */
type Held = ReadonlyMap<string, Kind>

interface Step {
  /** The order of names: each attribute gets the name at its place. */
  readonly order: readonly string[]
  readonly adds: Kind | null
  readonly removes: number | null
}

const order = fc.shuffledSubarray([...NAMES], { minLength: NAMES.length })
const stepOf = (kinds: readonly Kind[]): fc.Arbitrary<Step> =>
  fc.record({
    order,
    adds: fc.option(fc.constantFrom(...kinds), { nil: null }),
    removes: fc.option(fc.nat(3), { nil: null, freq: 3 }),
  })

const firstOf = (kinds: readonly Kind[]): fc.Arbitrary<readonly Kind[]> =>
  fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 4 })

const history = fc.record({
  thing: firstOf(KINDS),
  part: firstOf(['text', 'unique']),
  steps: fc.array(fc.record({ thing: stepOf(KINDS), part: stepOf(['text', 'unique']) }), {
    minLength: 2,
    maxLength: 3,
  }),
  /** The writes before each kill. */
  kills: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 3 }),
})

interface Declared {
  readonly held: Held
  readonly attributes: Readonly<Record<string, object>>
}

function firstRelease(kinds: readonly Kind[]): Declared {
  const held = new Map(kinds.map((kind, place) => [NAMES[place] ?? 'a', kind]))
  return { held, attributes: declaredOf(held, new Map()) }
}

function declaredOf(held: Held, from: ReadonlyMap<string, string>): Declared['attributes'] {
  return Object.fromEntries(
    [...held].map(([name, kind]) => {
      const older = from.get(name)
      return [name, { ...ATTRIBUTES[kind], ...(older !== undefined && { from: older }) }]
    }),
  )
}

/** A removed attribute keeps its name in this release. */
function nextRelease({ held }: Declared, { order: every, adds, removes }: Step): Declared {
  const isKept = (place: number): boolean => place !== removes || held.size < 3
  const kept = [...held].filter((_, place) => isKept(place))
  const removed = [...held.keys()].filter((_, place) => !isKept(place))
  const names = every.filter((name) => !removed.includes(name))
  const renamed = kept.map(([name, kind], place) => [names[place] ?? name, kind, name] as const)
  const after = new Map<string, Kind>(renamed.map(([name, kind]) => [name, kind]))
  const from = new Map(
    renamed.flatMap(([to, , name]) => (to === name ? [] : [[to, name] as const])),
  )
  const free = names.find((name) => !after.has(name) && !held.has(name))
  if (adds !== null && free !== undefined) after.set(free, adds)
  return { held: after, attributes: declaredOf(after, from) }
}

const typesOf = (thing: Declared, part: Declared): Readonly<Record<string, object>> => ({
  thing: declare(
    'thing',
    { label: { type: 'string' }, ...thing.attributes },
    { draftAndPublish: true },
  ),
  'components/shared/part': { info: { displayName: 'Part' }, attributes: part.attributes },
})

let made = 0

/** Each value is in no other entry. */
function valuesOf(held: Held, part: Held): Json {
  const one = (): Json =>
    Object.fromEntries([...part.keys()].map((name) => [name, `v${(made += 1)}`]))
  const value = (kind: Kind): unknown => {
    made += 1
    if (kind === 'part') return one()
    if (kind === 'parts') return [one(), one()]
    if (kind === 'zone') return [{ __component: 'shared.part', ...one() }]
    return `v${made}`
  }
  return Object.fromEntries([...held].map(([name, kind]) => [name, value(kind)]))
}

async function answersOf(server: TestServer, { held }: Declared): Promise<readonly Json[]> {
  const texts = [...held].filter(([, kind]) => kind === 'text' || kind === 'unique')
  const queries = [
    'sort=label&populate=*',
    'sort=label&populate=*&status=draft',
    ...texts.map(([name]) => `sort=${name}:desc,label`),
    ...texts.map(([name]) => `filters[${name}][$notNull]=true&sort=label&fields=${name}`),
  ]
  const shown: Json[] = []
  for (const query of queries) {
    const { status, text, body } = await server.get(`/api/things?${query}`)
    expect(status, text).to.equal(200)
    shown.push(body)
  }
  return shown
}

function withBase<T>(
  { database }: Releases,
  contentTypes: Readonly<Record<string, object>>,
  work: (base: Base) => Promise<T>,
): Promise<T> {
  return withTestBase({ database, contentTypes, options: { continues: 'compaction' } }, work)
}

/** A name may go back to the attribute that had it before, which looks like an instruction of an earlier release. */
async function startUnlessRefused(
  releases: Releases,
  types: Readonly<Record<string, object>>,
): Promise<TestServer | null> {
  try {
    return await releases.start(types)
  } catch (error) {
    if (error instanceof SchemaError) return null
    throw error
  }
}

describe('a model of schema compact', function () {
  this.slow(60_000)
  this.timeout(600_000)

  it('shows the same before and after, for any declarations and any kills', async () => {
    const client = await MongoClient.connect(await testUri())
    let moved = 0
    let killed = 0
    let releasesStarted = 0
    const property = fc.asyncProperty(history, async ({ thing, part, steps, kills }) => {
      const releases = openReleases('compaction_model')
      const leases = client.db(releases.database).collection('quire_leases')
      try {
        let current = { thing: firstRelease(thing), part: firstRelease(part) }
        let server = await releases.start(typesOf(current.thing, current.part))
        const fill = async (): Promise<void> => {
          for (const status of ['published', 'draft']) {
            made += 1
            const values = valuesOf(current.thing.held, current.part.held)
            const data = { label: `l${String(made).padStart(6, '0')}`, ...values }
            const answer = await server.post(`/api/things?status=${status}`, data)
            expect(answer.status, answer.text).to.equal(201)
          }
        }
        await fill()
        for (const step of steps) {
          const next = {
            thing: nextRelease(current.thing, step.thing),
            part: nextRelease(current.part, step.part),
          }
          const started = await startUnlessRefused(releases, typesOf(next.thing, next.part))
          server = started ?? (await releases.start(typesOf(current.thing, current.part)))
          if (started === null) continue
          current = next
          releasesStarted += 1
          await fill()
        }
        const before = await answersOf(server, current.thing)
        await releases.stop()
        const types = typesOf(current.thing, current.part)
        for (const at of kills) {
          await withBase(
            releases,
            types,
            async ({ database, schema, entered, documents, extensions }) => {
              const { database: dying } = killedAt(database, at)
              const { computed } = extensions
              const parts = { schema, computed, entered, now: documents.now, maxWaitMs: 0 }
              const error: unknown = await compactSchema({ ...parts, database: dying }).catch(
                (reason: unknown) => reason,
              )
              expect(error instanceof Error && !(error instanceof Killed)).to.equal(false)
              killed += error instanceof Killed ? 1 : 0
            },
          )
          await leases.deleteMany({}) // it expires
        }
        await withBase(releases, types, async (base) => {
          const { definitions } = await loadProject(base.config.contentTypesDir)
          await compactContent(base, definitions, { isPlan: false, maxWaitMs: 0 })
          moved += (await readLedger(base.database)).compactions ?? 0
        })
        await withBase(releases, types, async ({ database, schema }) => {
          const moves = planMoves(await readLedger(database), declaredNamesOf(schema))
          expect(moves.size).to.equal(0)
        })
        server = await releases.start(types)
        expect(await answersOf(server, current.thing)).to.deep.equal(before)
        await fill()
      } finally {
        await releases.end()
      }
    })
    await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
    await client.close()
    expect(releasesStarted).to.be.greaterThan(RUNS)
    expect(moved).to.be.greaterThan(RUNS / 2)
    expect(killed).to.be.greaterThan(RUNS / 2 - 1)
  })
})
