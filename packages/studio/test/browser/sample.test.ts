import { expect } from 'chai'
import { describeInBrowser, openBrowser, type Window } from './browser.ts'
import { fieldAt, untilPublished, untilSaved } from './editors.ts'
import { fillForm, type Filling } from './form-filler.ts'
import { type Answer, type Server, startServer } from './server.ts'
import { beFirst } from './signed-in.ts'

/** Of all that the seed makes: every type, with these rows, in these of its locales. */
const LOCALES = ['en', 'de', 'fr'] as const
const LANGUAGES = { en: 'English', de: 'German', fr: 'French' } as const
const COUNTRIES = ['BWA', 'ZMB'] as const
/** Typing into some twenty forms takes its time. */
const MAX_WAIT_MS = 180_000

type Locale = (typeof LOCALES)[number]

/** What names a document, whatever its ids: the first of these that it has. */
const KEYS = ['cca3', 'code', 'slug', 'name', 'title'] as const

interface Row {
  readonly uid: string
  /** How it is found, in either server. */
  readonly where: (locale: Locale) => string
}

describeInBrowser('the sample, created in the Studio', () => {
  let seeded: Server
  let made: Server
  let window: Window
  let filling: Filling
  before(async function () {
    this.timeout(MAX_WAIT_MS)
    ;[seeded, made] = await Promise.all([
      startServer({}, 'dist/tools/bench/src/demo.js'),
      startServer(),
    ])
    window = await openBrowser()
    await beFirst(window.page, made)
    const components: readonly Answer[] = (await made.ask('GET', '/admin/components')).data
    filling = {
      page: window.page,
      componentOf: (uid) => components.find((one) => one.uid === uid),
      titleOf: (target) => (written.has(keyOf(target)) ? (target.title ?? target.name) : null),
      fileOf: async ({ name, mime, url }) => {
        const response = await fetch(new URL(url, seeded.address))
        return { name, mimeType: mime, buffer: Buffer.from(await response.arrayBuffer()) }
      },
    }
  })
  after(async () => {
    await window.close()
    await Promise.all([seeded.stop(), made.stop()])
  })

  /** The keys of every row, in every locale: what relations lead to besides is left out. */
  const chosen = new Set<string>()
  /** Of those that are in the Studio already. */
  const written = new Set<string>()
  const keyOf = (entry: Answer): string => {
    const key = KEYS.find((one) => typeof entry[one] === 'string')
    return key === undefined ? '' : `${key} ${entry[key]}`
  }
  const isChosen = (entry: Answer): boolean => chosen.has(keyOf(entry))

  const declarations = new Map<string, Answer>()
  const declarationOf = async (uid: string): Promise<Answer> => {
    const known = declarations.get(uid)
    if (known !== undefined) return known
    const { data } = await made.ask('GET', `/admin/content-types/${uid}`)
    declarations.set(uid, data)
    return data
  }

  const find = async (
    server: Server,
    { uid, where }: Row,
    locale: Locale,
    status: 'draft' | 'published',
  ): Promise<Answer> => {
    const { attributes, localized, draftAndPublish } = await declarationOf(uid)
    const query = [
      where(locale),
      ...populateOf(attributes),
      ...(localized ? [`locale=${locale}`] : []),
      ...(draftAndPublish ? [`status=${status}`] : []),
    ]
    const { data } = await server.ask('GET', `/admin/content/${uid}?${query.join('&')}`)
    expect(data.length, `${uid} ${where(locale)}`).to.be.at.most(1)
    return data[0] ?? null
  }

  /** As it is where ids, times and rows that were not chosen are no matter. */
  const plain = (attributes: Answer, entry: Answer): Answer => {
    if (entry === null) return null
    const members = Object.entries(attributes as Record<string, Answer>).map(
      ([name, attribute]) => [name, plainValue(attribute, entry[name])],
    )
    return Object.fromEntries(members)
  }
  const plainValue = (attribute: Answer, value: Answer): Answer => {
    if (value === null || value === undefined) return null
    if (attribute.type === 'relation') return [value].flat().filter(isChosen).map(keyOf)
    if (attribute.type === 'media') {
      const { name, alternativeText, mime, width, height, size } = value
      return { name, alternativeText, mime, width, height, size }
    }
    if (attribute.type === 'component') {
      return plain(filling.componentOf(attribute.component).attributes, value)
    }
    if (attribute.type === 'dynamiczone') {
      return value.map((item: Answer) => ({
        __component: item.__component,
        ...plain(filling.componentOf(item.__component).attributes, item),
      }))
    }
    return value
  }

  /** The rows, what is referred to before what refers to it. */
  const rows: Row[] = []
  const localesOf = async (uid: string): Promise<readonly Locale[]> =>
    (await declarationOf(uid)).localized ? LOCALES : ['en']

  it('starts with the seed data', async () => {
    const countries = COUNTRIES.map((cca3): Row => ({
      uid: 'api::country.country',
      where: () => `filters[cca3]=${cca3}`,
    }))
    const spoken = new Map<string, Row>()
    for (const country of countries) {
      const { languages, currencies } = await find(seeded, country, 'en', 'published')
      for (const [uid, of] of [
        ['api::language.language', languages],
        ['api::currency.currency', currencies],
      ] as const) {
        for (const { code } of of) spoken.set(code, { uid, where: () => `filters[code]=${code}` })
      }
    }
    const [country] = countries
    if (country === undefined) throw new Error('There is no country')
    const { data } = await seeded.ask(
      'GET',
      `/admin/content/api::article.article?filters[countries][cca3]=${COUNTRIES[0]}&populate=category`,
    )
    const [article] = data
    const byId = (uid: string, documentId: string): Row => ({
      uid,
      where: () => `filters[documentId]=${documentId}`,
    })
    const { data: cities } = await seeded.ask(
      'GET',
      `/admin/content/api::city.city?filters[country][cca3]=${COUNTRIES[1]}&sort=population:desc&pagination[pageSize]=1`,
    )
    rows.push(
      ...spoken.values(),
      ...countries,
      byId('api::city.city', cities[0].documentId),
      byId('api::category.category', article.category.documentId),
      byId('api::article.article', article.documentId),
      { uid: 'api::homepage.homepage', where: () => '' },
    )
    for (const row of rows) {
      for (const locale of await localesOf(row.uid)) {
        const entry = await find(seeded, row, locale, 'draft')
        if (entry !== null) chosen.add(keyOf(entry))
      }
    }
    expect(new Set(rows.map(({ uid }) => uid)).size).to.equal(7)
  })

  it('adds the languages of the content', async () => {
    const { page } = window
    await page.goto(`${made.address}/studio/settings/locales`)
    for (const code of ['de', 'fr'] as const) {
      await page.getByRole('button', { name: 'Add locale' }).click()
      await page.getByLabel('Code').fill(code)
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const list = page.getByRole('list', { name: 'Locales' })
      await list.getByText(LANGUAGES[code]).waitFor()
    }
  })

  const begin = async (locale: Locale, hasDrafts: boolean): Promise<void> => {
    const { page } = window
    await page.getByRole('link', { name: `Translate: ${LANGUAGES[locale]}` }).click()
    const from = page.getByRole('button', { name: 'Start from English' })
    await from.waitFor()
    const empty = page.getByRole('button', { name: 'Start empty' })
    // What is stored at once cannot be without what is required.
    expect(await empty.count(), locale).to.equal(hasDrafts ? 1 : 0)
    await (hasDrafts ? empty : from).click()
  }

  const write = async (row: Row): Promise<void> => {
    const { page } = window
    const { kind, singularName, pluralName, attributes, draftAndPublish } = await declarationOf(
      row.uid,
    )
    const [first, ...others] = await localesOf(row.uid)
    const path = kind === 'singleType' ? singularName : `${pluralName}/new`
    await page.goto(`${made.address}/studio/content/${path}`)
    for (const locale of [first ?? 'en', ...others]) {
      const draft = await find(seeded, row, locale, 'draft')
      if (draft === null) continue
      if (locale !== first) await begin(locale, draftAndPublish)
      const shown = Object.entries(attributes as Record<string, Answer>).filter(
        ([, { localized }]) => locale === first || localized,
      )
      await fieldAt(page, Object.keys(attributes)[0] ?? '').waitFor()
      await fillForm(filling, Object.fromEntries(shown), draft, page.locator('main'))
      if (!draftAndPublish) await page.getByRole('button', { name: 'Save', exact: true }).click()
      await untilSaved(page)
      const isPublished = (await find(seeded, row, locale, 'published')) !== null
      written.add(keyOf(draft))
      if (!draftAndPublish || !isPublished) continue
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await untilPublished(page)
    }
  }

  it('writes and publishes each entry in its form, in each language', async () => {
    for (const row of rows) await write(row)
  }).timeout(MAX_WAIT_MS)

  it('adds links to entries that were created later', async () => {
    const { page } = window
    const neighbours = rows.filter(({ uid }) => uid === 'api::country.country')
    const { borders } = (await declarationOf('api::country.country')).attributes
    const [first] = neighbours
    if (first === undefined) throw new Error('There are no neighbours')
    const { documentId } = await find(made, first, 'en', 'draft')
    const entry = await find(seeded, first, 'en', 'draft')
    await page.goto(`${made.address}/studio/content/countries/${documentId}`)
    await fillForm(filling, { borders }, entry, page.locator('main'))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await untilSaved(page)
  })

  it('describes the image', async () => {
    const { page } = window
    await page.goto(`${made.address}/studio/media`)
    for (const { name } of (await made.ask('GET', '/admin/files')).data) {
      const [file] = (await seeded.ask('GET', `/admin/files?search=${name}`)).data
      await page.getByRole('row').filter({ hasText: name }).click()
      const drawer = page.getByRole('dialog', { name })
      await drawer.getByLabel('Alternative text').fill(file.alternativeText)
      await drawer.getByRole('button', { name: 'Save' }).click()
      await drawer.waitFor({ state: 'detached' })
    }
  })

  /** Returns how many there were to compare. */
  const compare = async (
    row: Row,
    locale: Locale,
    status: 'draft' | 'published',
  ): Promise<number> => {
    const { attributes } = await declarationOf(row.uid)
    const expected = await find(seeded, row, locale, status)
    const where = expected === null ? row.where : (): string => byKey(expected)
    const found = await find(made, { ...row, where }, locale, status)
    expect(plain(attributes, found), `${row.uid} ${locale} ${status}`).to.deep.equal(
      plain(attributes, expected),
    )
    return expected === null ? 0 : 1
  }

  it('equals the seeded sample in every type, attribute, language and state', async () => {
    let compared = 0
    for (const row of rows) {
      for (const locale of await localesOf(row.uid)) {
        for (const status of ['draft', 'published'] as const) {
          compared += await compare(row, locale, status)
        }
      }
    }
    expect(compared).to.be.above(20)
  })

  it('logs no browser errors except missing languages of entries', () => {
    const others = window.complaints.filter((text) => !/status of 404/.test(text))
    expect(others).to.deep.equal([])
  })
})

/** Of a single type there is one entry. */
function byKey(entry: Answer): string {
  const key = ['cca3', 'code', 'slug', 'name'].find((one) => typeof entry[one] === 'string')
  return key === undefined ? '' : `filters[${key}]=${encodeURIComponent(entry[key])}`
}

/** All relations, files and components, with what is in them. */
function populateOf(attributes: Answer): readonly string[] {
  return Object.entries(attributes as Record<string, Answer>).flatMap(([name, attribute]) => {
    switch (attribute.type) {
      case 'relation':
      case 'media':
        return [`populate[${name}]=true`]
      case 'component':
        return [`populate[${name}][populate]=*`]
      case 'dynamiczone':
        return attribute.components.map(
          (uid: string) => `populate[${name}][on][${uid}][populate]=*`,
        )
      default:
        return []
    }
  })
}
