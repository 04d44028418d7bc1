import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { FoundDocuments } from '../../src/content/read/find-documents.ts'
import { findEntries } from '../../src/content/read/find-entries.ts'
import { compileCollections } from '../../src/mongo/indexes/collection-plan.ts'
import type { StoredVersion } from '../../src/mongo/versions/stored-version.ts'
import { syncIndexes } from '../../src/mongo/indexes/sync-indexes.ts'
import { insertVersions } from '../../src/mongo/write/write-versions.ts'
import { parseQuery } from '../../src/query/parse-query.ts'
import type { Status, VersionKey } from '../../src/query/query.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import type { AttributeDefinition, Data } from '../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../src/schema/plan.ts'
import { contentType } from '../fixtures/definitions.ts'
import { rulesWith } from '../fixtures/rules.ts'
import { openTestDatabase, type TestDatabase } from '../support/test-database.ts'

/** A row of the table in `docs/relations.md`. The table is the only source of expectations. */
interface Row {
  readonly locale: string
  readonly status: string
  readonly target: TargetKind
  /** Labels of versions (`labelOf`). The first existing one is shown. */
  readonly shown: readonly string[]
}

interface TargetKind {
  readonly name: string
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

const TARGETS: readonly TargetKind[] = [
  { name: 'full', draftAndPublish: true, localized: true },
  { name: 'drafting', draftAndPublish: true, localized: false },
  { name: 'local', draftAndPublish: false, localized: true },
  { name: 'plain', draftAndPublish: false, localized: false },
]
const ENTRIES = [
  { name: 'page', localized: true },
  { name: 'board', localized: false },
] as const

const HEADING =
  '| Locale asked for | Status asked for | Target has draft & publish | Target has locales | Shown |'

function readTable(): readonly Row[] {
  const page = readFileSync(new URL('../../../docs/relations.md', import.meta.url), 'utf8')
  const lines = page.split('\n').map((line) => line.replaceAll(/ +/g, ' '))
  const start = lines.indexOf(HEADING)
  if (start === -1) throw new Error('docs/relations.md has no table of visible versions')
  const rest = lines.slice(start + 2)
  const end = rest.findIndex((line) => !line.startsWith('|'))
  return rest.slice(0, end === -1 ? undefined : end).map((line) => {
    const [, locale = '', status = '', drafts, locales, shown = ''] = line
      .split('|')
      .map((cell) => cell.trim())
    const target = TARGETS.find(
      ({ draftAndPublish, localized }) =>
        drafts === (draftAndPublish ? 'yes' : 'no') && locales === (localized ? 'yes' : 'no'),
    )
    if (target === undefined) throw new Error(`docs/relations.md: cannot read ${line}`)
    return { locale, status, target, shown: shown.split(', else ') }
  })
}

const text: AttributeDefinition = { type: 'string', pluginOptions: { i18n: { localized: true } } }

/** The entry owns `to_x` and the target owns `of_x`. */
const schema = compileSchema({
  contentTypes: [
    ...ENTRIES.map(({ name, localized }) =>
      contentType(
        name,
        { draftAndPublish: true, localized },
        Object.fromEntries([
          ['kind', text],
          ...TARGETS.flatMap((target): [string, AttributeDefinition][] => [
            [
              `to_${target.name}`,
              {
                type: 'relation',
                relation: 'manyToOne',
                target: `api::${target.name}.${target.name}`,
              },
            ],
            [
              `of_${target.name}`,
              {
                type: 'relation',
                relation: 'oneToMany',
                target: `api::${target.name}.${target.name}`,
                mappedBy: name,
              },
            ],
          ]),
        ]),
      ),
    ),
    ...TARGETS.map((target) =>
      contentType(
        target.name,
        target,
        Object.fromEntries([
          ['label', text],
          ...ENTRIES.map(({ name }): [string, AttributeDefinition] => [
            name,
            {
              type: 'relation',
              relation: 'manyToOne',
              target: `api::${name}.${name}`,
              inversedBy: `of_${target.name}`,
            },
          ]),
        ]),
      ),
    ),
  ],
  components: [],
})

function planOf(name: string): ContentTypePlan {
  const plan = schema.contentTypes.get(`api::${name}.${name}`)
  if (plan === undefined) throw new Error(`there is no ${name}`)
  return plan
}

function keysOf({ draftAndPublish, localized }: Omit<TargetKind, 'name'>): readonly VersionKey[] {
  const statuses: readonly Status[] = draftAndPublish ? ['draft', 'published'] : ['published']
  const locales = localized ? ['en', 'fr'] : ['']
  return locales.flatMap((locale) => statuses.map((status) => ({ locale, status })))
}

const labelOf = ({ locale, status }: VersionKey): string =>
  locale === '' ? status : `${locale} ${status}`

/** All subsets of the possible versions of a target. */
function availabilities(target: TargetKind): readonly (readonly VersionKey[])[] {
  const keys = keysOf(target)
  return Array.from({ length: 2 ** keys.length }, (_, bits) =>
    keys.filter((_, index) => (bits & (2 ** index)) !== 0),
  )
}

const idOf = (name: string, kind: string, index: number): string =>
  `${name}${kind}${String(index).padStart(2, '0')}`.padEnd(24, '0')

describe('the table of versions that a relation shows', () => {
  let test: TestDatabase
  let ids = 0
  const rows = readTable()

  before(async () => {
    test = await openTestDatabase('truth')
    await syncIndexes(test.database, [...compileCollections(schema).values()])
    for (const target of TARGETS) {
      for (const [index, keys] of availabilities(target).entries()) await store(target, index, keys)
    }
  })

  after(() => test.drop())

  /** Stores one target in the given versions and one related entry of each type in all versions. */
  async function store(
    target: TargetKind,
    index: number,
    keys: readonly VersionKey[],
  ): Promise<void> {
    const documentId = idOf('t', target.name, index)
    const owners = ENTRIES.map(({ name }) => [name, idOf(name, target.name, index)])
    const targets = keys.map((key) =>
      versionOf(documentId, key, { label: labelOf(key), ...Object.fromEntries(owners) }),
    )
    await insert(planOf(target.name), targets)
    for (const { name, localized } of ENTRIES) {
      const entries = keysOf({ draftAndPublish: true, localized }).map((key) =>
        versionOf(idOf(name, target.name, index), key, {
          kind: target.name,
          [`to_${target.name}`]: documentId,
        }),
      )
      await insert(planOf(name), entries)
    }
  }

  function insert(plan: ContentTypePlan, versions: readonly StoredVersion[]): Promise<unknown> {
    return test.database.transact((session) =>
      insertVersions(test.database, plan, versions, session),
    )
  }

  function versionOf(documentId: string, key: VersionKey, values: Data): StoredVersion {
    const at = new Date(0)
    ids += 1
    return {
      id: ids,
      documentId,
      ...key,
      createdAt: at,
      updatedAt: at,
      publishedAt: null,
      ...values,
    }
  }

  it('has a row for every combination', () => {
    const combinations = ['en', 'fr', 'fr, then en'].flatMap((locale) =>
      ['published', 'draft', 'draft, not permitted'].flatMap((status) =>
        TARGETS.map((target) => `${locale} | ${status} | ${target.name}`),
      ),
    )
    const named = rows.map(({ locale, status, target }) => `${locale} | ${status} | ${target.name}`)
    expect(named.toSorted()).to.deep.equal(combinations.toSorted())
  })

  for (const row of rows) {
    for (const { name } of ENTRIES) {
      const { locale, status, target, shown } = row
      it(`${locale}, ${status}: a ${name} shows of a ${target.name} target ${shown.join(', else ')}`, () =>
        check(row, name))
    }
  }

  async function check(row: Row, name: string): Promise<void> {
    const { target, shown } = row
    const find = (query: Data): Promise<FoundDocuments> => findIn(row, name, query)
    const expected = availabilities(target).map((keys, index) => {
      const labels = keys.map(labelOf)
      const label = shown.find((one) => labels.includes(one)) ?? null
      return { documentId: idOf(name, target.name, index), label }
    })
    const to = `to_${target.name}`
    const of = `of_${target.name}`

    const populated = await find({ populate: { [to]: true, [of]: true } })
    const labelsOf = (list: unknown): unknown =>
      (list as readonly Data[]).map((one) => one['label'])
    expect(
      populated.entries.map((entry) => ({
        documentId: entry['documentId'],
        label: (entry[to] as Data | null)?.['label'] ?? null,
        of: labelsOf(entry[of]),
      })),
    ).to.deep.equal(expected.map((one) => ({ ...one, of: one.label === null ? [] : [one.label] })))

    const counted = await find({ populate: { [to]: { count: 'true' }, [of]: { count: 'true' } } })
    for (const side of [to, of]) {
      expect(counted.entries.map((entry) => entry[side])).to.deep.equal(
        expected.map(({ label }) => ({ count: label === null ? 0 : 1 })),
      )
      const seen = expected.filter(({ label }) => label !== null)
      const filtered = await find({ filters: { [side]: { label: { $notNull: 'true' } } } })
      expect(idsOf(filtered)).to.deep.equal(seen.map(({ documentId }) => documentId))
      expect(filtered.total).to.equal(seen.length)
      for (const key of keysOf(target)) {
        const label = labelOf(key)
        const having = await find({ filters: { [side]: { label } } })
        const with_ = expected.filter((one) => one.label === label)
        expect(idsOf(having), label).to.deep.equal(with_.map(({ documentId }) => documentId))
      }
      const sorted = await find({ sort: `${side}.label` })
      const order = expected.toSorted((one, other) => compare(one.label ?? '', other.label ?? ''))
      expect(idsOf(sorted)).to.deep.equal(order.map(({ documentId }) => documentId))
    }
  }

  function findIn(
    { locale, status, target }: Row,
    name: string,
    { filters = {}, ...query }: Data,
  ): Promise<FoundDocuments> {
    const [asked, fallbackLocale] = locale.split(', then ')
    const [read] = status.split(', ')
    const uid = planOf(target.name).uid
    const isPermitted = !status.endsWith(', not permitted')
    const rules = {
      ...rulesWith('en', 'fr'),
      mayReadDrafts: (of: string) => isPermitted || of !== uid,
    }
    const given = {
      locale: asked,
      status: read,
      ...(fallbackLocale !== undefined && { fallbackLocale }),
      pagination: { pageSize: '100' },
      filters: { ...(filters as Data), kind: target.name },
      ...query,
    }
    return findEntries(test.database, parseQuery(given, planOf(name), rules))
  }
})

const idsOf = ({ entries }: FoundDocuments): readonly unknown[] =>
  entries.map(({ documentId }) => documentId)

/** Compares code points, like the database. */
function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
