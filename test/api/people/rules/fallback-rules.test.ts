import { expect } from 'chai'
import * as fc from 'fast-check'
import { modelRuns } from '../../../support/model-runs.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'

const RUNS = modelRuns('FALLBACK_RULE_RUNS', 2, 30)
const PROBES_EACH = 100

const CODES = ['en', 'fr', 'de'] as const
type Code = (typeof CODES)[number]
const DOCUMENTS = 6
const CRATES = 2

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const CONTENT_TYPES = {
  page: declare(
    'page',
    {
      rank: { type: 'integer', ...LOCALIZED },
      open: { type: 'boolean', ...LOCALIZED },
      canary: { type: 'string', ...LOCALIZED },
      box: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::crate.crate',
        inversedBy: 'pages',
        ...LOCALIZED,
      },
    },
    { localized: true },
  ),
  crate: declare('crate', {
    kept: { type: 'boolean' },
    pages: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::page.page',
      mappedBy: 'box',
    },
  }),
}

const QUERIES = {
  'queries/pages-by-box': {
    type: 'page',
    rules: 'caller',
    aggregate: { groupBy: ['box', 'open'], count: true },
  },
  'queries/crates-by-page': {
    type: 'crate',
    rules: 'caller',
    aggregate: { groupBy: ['pages'], count: true },
  },
}

interface Version {
  readonly document: number
  readonly locale: Code
  readonly rank: number
  readonly open: boolean
  readonly box: number | null
}

/** The first crate is kept, the second one is not. */
const isKept = (box: number | null): boolean => box === 0

const RULES = {
  own: { where: { open: true }, shows: ({ open }: Version) => open },
  related: { where: { box: { kept: true } }, shows: ({ box }: Version) => isKept(box) },
  either: {
    where: { $or: [{ rank: { $gt: 1 } }, { box: { kept: true } }] },
    shows: ({ rank, box }: Version) => rank > 1 || isKept(box),
  },
  not: {
    where: { $not: { box: { kept: true } } },
    shows: ({ box }: Version) => !isKept(box),
  },
  locale: {
    where: { locale: { $in: ['fr', 'de'] } },
    shows: ({ locale }: Version) => locale !== 'en',
  },
  both: {
    where: { $or: [{ locale: 'en' }, { open: true }] },
    shows: ({ locale, open }: Version) => locale === 'en' || open,
  },
} as const

type RuleName = keyof typeof RULES
const RULE_NAMES = Object.keys(RULES) as readonly RuleName[]

type World = readonly Version[]

const rank = fc.integer({ min: 0, max: 3 })

const WORLD: fc.Arbitrary<World> = fc
  .tuple(
    ...Array.from({ length: DOCUMENTS }, (_, document) =>
      fc
        .subarray([...CODES], { minLength: 1 })
        .chain((codes) => fc.tuple(...codes.map((locale) => versionOf(document, locale)))),
    ),
  )
  .map((each) => each.flat())

function versionOf(document: number, locale: Code): fc.Arbitrary<Version> {
  const box = fc.option(fc.nat({ max: CRATES - 1 }), { nil: null })
  return fc.record({
    document: fc.constant(document),
    locale: fc.constant(locale),
    rank,
    open: fc.boolean(),
    box,
  })
}

const DOORS = [
  'list',
  'search',
  'entry',
  'populate',
  'ids',
  'count',
  'condition',
  'groups',
  'targets',
] as const

interface Probe {
  readonly rule: RuleName
  readonly door: (typeof DOORS)[number]
  readonly chain: readonly Code[]
  readonly rank: number | null
  readonly document: number
}

const PROBE: fc.Arbitrary<Probe> = fc.record({
  rule: fc.constantFrom(...RULE_NAMES),
  door: fc.constantFrom(...DOORS),
  chain: fc.shuffledSubarray([...CODES], { minLength: 1 }),
  rank: fc.option(rank, { nil: null }),
  document: fc.nat({ max: DOCUMENTS - 1 }),
})

const canaryOf = ({ document, locale }: Version): string => `canary${document}${locale}`

describe('fallback locales under rules', () => {
  for (let run = 0; run < RUNS; run += 1) {
    it(`chooses the first locale among the versions that the rule shows (${run})`, async function () {
      this.timeout(120_000)
      const seed = 20_261_130 + run
      const [world] = fc.sample(WORLD, { numRuns: 1, seed })
      if (world === undefined) throw new Error('no world')
      const prober = await openProber(world)
      try {
        for (const probe of fc.sample(PROBE, { numRuns: PROBES_EACH, seed })) {
          await prober.probe(probe)
        }
      } finally {
        await prober.server.close()
      }
      for (const door of DOORS) expect(prober.seen.get(door), door).to.be.above(0)
      expect(prober.passed.size, 'rules that change a choice').to.be.above(1)
    })
  }
})

async function openProber(world: World) {
  const server = await serve('fallback_rules', {
    contentTypes: { ...CONTENT_TYPES, ...QUERIES },
    locales: ['fr', 'de'],
    environment: { RATE_LIMIT: 'off' },
  })
  const crates = await addCrates(server)
  const ids = await addPages(server, world, crates)
  const tokens = new Map<RuleName, string>()
  for (const rule of RULE_NAMES) tokens.set(rule, await addToken(server, rule))
  const seen = new Map<string, number>()
  const passed = new Set<RuleName>()

  /** The oracle: the first version of the chain that the rule shows, as if no other existed. */
  const chosen = (document: number, { chain, rule }: Probe): Version | null => {
    const stored = chain.flatMap((code) =>
      world.filter((one) => one.document === document && one.locale === code),
    )
    const shown = stored.find((one) => RULES[rule].shows(one)) ?? null
    if (shown !== null && shown !== stored[0]) passed.add(rule)
    return shown
  }
  const shownIn = (probe: Probe): readonly Version[] =>
    Array.from({ length: DOCUMENTS }, (_, document) => chosen(document, probe))
      .filter((one) => one !== null)
      .filter(({ rank }) => probe.rank === null || rank === probe.rank)
  const relatedIds = (probe: Probe, index: number): readonly string[] =>
    shownIn({ ...probe, rank: null })
      .filter(({ box }) => box === index)
      .map(({ document }) => String(ids[document]))
  const queryOf = ({ chain: [locale, ...others] }: Probe): string =>
    `locale=${locale}${others.length > 0 ? `&fallbackLocale=${others.join(',')}` : ''}`

  const get = async (path: string, probe: Probe): Promise<Answer> => {
    const token = tokens.get(probe.rule) ?? null
    const answer = await server.send('GET', `/api/${path}`, { token })
    const allowed = Array.from({ length: DOCUMENTS }, (_, document) =>
      chosen(document, probe),
    ).flatMap((one) => (one === null ? [] : [canaryOf(one)]))
    const given = path.match(/canary\w+/)?.[0] ?? ''
    const shown = answer.text.replaceAll(given === '' ? '\0' : given, '').match(/canary\d\w\w/g)
    for (const one of shown ?? []) expect(allowed, `${path}\n${answer.text}`).to.include(one)
    return answer
  }
  const expectCanaries = (data: readonly Json[], versions: readonly Version[], path: string) => {
    const names = data.map(({ canary }): string => canary)
    expect(names.sort(), path).to.deep.equal(versions.map(canaryOf).sort())
  }

  const doors: Record<Probe['door'], (probe: Probe) => Promise<void>> = {
    list: async (probe) => {
      const filter = probe.rank === null ? '' : `&filters[rank]=${probe.rank}`
      const path = `pages?${queryOf(probe)}${filter}&sort=rank&pagination[pageSize]=100`
      const { body } = await get(path, probe)
      expectCanaries(body.data, shownIn(probe), path)
      expect(body.meta.pagination.total, path).to.equal(body.data.length)
      const ranks = body.data.map((one: Json): number => one.rank)
      expect(ranks, path).to.deep.equal(ranks.toSorted((one: number, other: number) => one - other))
    },
    search: async (probe) => {
      const { document } = probe
      for (const one of world.filter((version) => version.document === document)) {
        const path = `pages?${queryOf(probe)}&_q=${canaryOf(one)}`
        const found = shownIn({ ...probe, rank: null }).filter((shown) => shown === one)
        expectCanaries((await get(path, probe)).body.data, found, path)
      }
    },
    entry: async (probe) => {
      const path = `pages/${ids[probe.document]}?${queryOf(probe)}`
      const { status, body } = await get(path, probe)
      const version = chosen(probe.document, probe)
      expect(status, path).to.equal(version === null ? 404 : 200)
      if (version !== null) expectCanaries([body.data], [version], path)
    },
    populate: async (probe) => {
      const filter = probe.rank === null ? '' : `&populate[pages][filters][rank]=${probe.rank}`
      const path = `crates?${queryOf(probe)}&populate[pages][fields]=canary${filter}`
      const { data } = (await get(path, probe)).body
      for (const [index, documentId] of crates.entries()) {
        const { pages } = data.find((one: Json) => one.documentId === documentId)
        const related = shownIn(probe).filter(({ box }) => box === index)
        expectCanaries(pages, related, path)
      }
    },
    count: async (probe) => {
      const path = `crates?${queryOf(probe)}&populate[pages][count]=true`
      const { data } = (await get(path, probe)).body
      for (const [index, documentId] of crates.entries()) {
        const { pages } = data.find((one: Json) => one.documentId === documentId)
        const related = shownIn({ ...probe, rank: null }).filter(({ box }) => box === index)
        expect(pages.count, path).to.equal(related.length)
      }
    },
    ids: async (probe) => {
      const path = `crates?${queryOf(probe)}&populate[pages]=ids`
      const { data } = (await get(path, probe)).body
      for (const [index, documentId] of crates.entries()) {
        const { pages } = data.find((one: Json) => one.documentId === documentId)
        expect(pages, path).to.have.members(relatedIds(probe, index))
      }
    },
    groups: async (probe) => {
      const path = `_q/pages-by-box?${queryOf(probe)}`
      const { data } = (await get(path, probe)).body
      const groups = data.flatMap(({ group: { box, open }, count }: Json): readonly string[] =>
        Array.from({ length: count }, () => `${box} ${open}`),
      )
      const shown = shownIn({ ...probe, rank: null })
      const wanted = shown.map(({ box, open }) => `${crates[box ?? -1] ?? null} ${open}`)
      expect(groups, path).to.have.members(wanted)
    },
    targets: async (probe) => {
      const path = `_q/crates-by-page?${queryOf(probe)}`
      const { data } = (await get(path, probe)).body
      const found = data.map(({ group: { pages } }: Json) => pages ?? '')
      const related = crates.map((_, index) => relatedIds(probe, index))
      const empty = related.some((ids) => ids.length === 0) ? [''] : []
      expect(found, path).to.have.members([...empty, ...related.flat()])
    },
    condition: async (probe) => {
      const path = `crates?${queryOf(probe)}&filters[pages][rank]=${probe.rank ?? 1}`
      const related = shownIn({ ...probe, rank: probe.rank ?? 1 })
      const found = (await get(path, probe)).body.data.map((one: Json): string => one.documentId)
      const wanted = crates.filter((_, index) => related.some(({ box }) => box === index))
      expect(found.sort(), path).to.deep.equal(wanted.toSorted())
    },
  }
  return {
    server,
    seen,
    passed,
    probe: async (probe: Probe): Promise<void> => {
      await doors[probe.door](probe)
      seen.set(probe.door, (seen.get(probe.door) ?? 0) + 1)
    },
  }
}

async function addCrates(server: TestServer): Promise<readonly string[]> {
  const added: string[] = []
  for (let crate = 0; crate < CRATES; crate += 1) {
    const answer = await server.post('/api/crates', { kept: isKept(crate) })
    expect(answer.status, answer.text).to.equal(201)
    added.push(answer.body.data.documentId)
  }
  return added
}

async function addPages(
  server: TestServer,
  versions: World,
  crates: readonly string[],
): Promise<readonly string[]> {
  const ids: string[] = []
  for (const version of versions) {
    const { document, locale, rank, open, box } = version
    const known = ids[document]
    const place = known === undefined ? '' : `/${known}`
    const data = {
      rank,
      open,
      canary: canaryOf(version),
      box: box === null ? null : (crates[box] ?? null),
    }
    const method = known === undefined ? 'POST' : 'PUT'
    const answer = await server.send(method, `/api/pages${place}?locale=${locale}`, {
      body: { data },
    })
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    ids[document] = answer.body.data.documentId
  }
  return ids
}

async function addToken(server: TestServer, rule: RuleName): Promise<string> {
  const { where } = RULES[rule]
  const answer = await server.send('POST', '/admin/api-tokens', {
    body: {
      name: rule,
      type: 'custom',
      permissions: [
        'api::crate.crate.find',
        'api::crate.crate.findOne',
        'query::pages-by-box',
        'query::crates-by-page',
      ],
      rules: ['find', 'findOne'].map((verb) => ({ action: `api::page.page.${verb}`, where })),
    },
  })
  expect(answer.status, answer.text).to.equal(201)
  return answer.body.data.accessKey
}
