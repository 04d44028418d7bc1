/**
 * A program that compiles against the generated types of the sample. Each line after
 * `@ts-expect-error` must not compile.
 */
export const SAMPLE_PROGRAM = `
import { createClient, type Content } from './content.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isExactly<A, B>(_: Equal<A, B>): void {}

const quire = createClient({ url: 'http://127.0.0.1:1337' })

export async function good(): Promise<void> {
  const plain = await quire.articles.find()
  isExactly<(typeof plain.entries)[number]['title'], string>(true)
  isExactly<(typeof plain.entries)[number]['excerpt'], string | null>(true)
  const picked = await quire.articles.find({
    fields: ['title', 'readingMinutes'],
    populate: { category: { fields: ['name'] }, countries: { populate: ['languages'], sort: 'name' } },
    filters: {
      title: { $contains: 'Alps' },
      $or: [{ category: { slug: 'maps' } }, { readingMinutes: { $between: [1, 5] } }],
      publishedAt: { $gt: new Date(0) },
      excerpt: { $eq: null },
    },
    sort: ['readingMinutes:desc', 'category.name'],
    locale: 'de',
    fallbackLocale: ['en'],
    status: 'draft',
    search: 'Alps',
  })
  const [first] = picked.entries
  if (first === undefined) return
  isExactly<typeof first.category, { id: number; documentId: string; name: string } | null>(true)
  isExactly<typeof first.title, string | null>(true)
  isExactly<keyof typeof first, 'id' | 'documentId' | 'title' | 'readingMinutes' | 'category' | 'countries'>(true)
  isExactly<(typeof first.countries)[number]['languages'][number]['name'], string>(true)

  const whole = await quire.articles.get('x', { populate: '*' })
  for (const section of whole.sections) {
    if (section.__component === 'shared.quote') isExactly<typeof section.text, string>(true)
  }
  const quotes = await quire.articles.get('x', {
    populate: { sections: { on: { 'shared.quote': { fields: ['text'] } } } },
  })
  isExactly<(typeof quotes.sections)[number], { __component: 'shared.quote'; id: number; text: string }>(true)
  const draft = await quire.articles.get('x', { populate: { sections: { on: { 'shared.quote': true } } }, status: 'draft' })
  isExactly<(typeof draft.sections)[number]['text'], string | null>(true)
  const published = await quire.articles.find({ status: 'published', fields: ['title'] })
  isExactly<(typeof published.entries)[number]['title'], string>(true)
  const pictured = await quire.articles.get('x', { populate: { cover: true } })
  const small: number | undefined = pictured.cover?.formats?.small?.width
  isExactly<NonNullable<typeof pictured.cover>['focalPoint'], { readonly x: number; readonly y: number } | null>(true)
  const written = await quire.articles.create({ title: 'x' }, { status: 'draft' })
  isExactly<typeof written.title, string | null>(true)
  console.log(small, (await quire.articles.publish(written)).title.length)
  const anyQuote = await quire.articles.get('x', { populate: { sections: { on: { 'shared.quote': true } } } })
  isExactly<(typeof anyQuote.sections)[number]['__component'], 'shared.quote'>(true)
  for await (const city of quire.cities.all({ fields: ['name', 'location'] })) {
    isExactly<keyof typeof city, 'id' | 'name' | 'documentId' | 'location'>(true)
  }
  const region: Content['types']['countries']['fields']['region'] = 'Europe'
  await quire.countries.find({ filters: { region: { $in: [region] }, borders: { cca3: 'CHE' } } })
  await quire.articles.create({ title: 'x', sections: [{ __component: 'shared.quote', text: 'x' }] }, { status: 'draft' })
  await quire.articles.update(whole, { countries: { connect: ['a', { documentId: 'b', position: { start: true } }] } })
  await quire.homepage.get({ locale: 'de' })
  const feed = await quire.$query('home-feed', { category: 'maps', page: 2, locale: 'de' })
  const [newest] = feed.entries
  if (newest === undefined) return
  isExactly<typeof newest.category, { id: number; documentId: string; name: string; slug: string } | null>(true)
  isExactly<typeof newest.title, string | null>(true)
  isExactly<
    keyof typeof newest,
    'id' | 'documentId' | 'title' | 'slug' | 'excerpt' | 'readingMinutes' | 'publishedAt' | 'category' | 'cover'
  >(true)
  const { nextCursor } = await quire.articles.find({ cursor: '', fields: ['title'] })
  isExactly<typeof nextCursor, string | null>(true)
  const results = await quire.$bulk([
    { op: 'upsert', type: 'category', key: { slug: 'maps' }, data: { name: 'Maps' } },
    { op: 'upsert', type: 'article', documentId: 'x', data: { category: { key: { slug: 'maps' } } } },
    { op: 'upsert', type: 'homepage', data: { title: 'Home' } },
    { op: 'delete', type: 'category', key: { slug: 'nothing' }, locale: '*' },
  ])
  const [result] = results
  if (result?.result === 'failed') isExactly<typeof result.code, string>(true)
  await quire.$query('home-feed')
  const { borders } = await quire.$query('country-by-code', { code: 'CHE' })
  isExactly<(typeof borders)[number]['cca3'], string>(true)
  const { groups, capped } = await quire.$query('articles-by-category', { locale: 'de' })
  isExactly<typeof capped, boolean>(true)
  isExactly<
    (typeof groups)[number],
    {
      group: { category: string | null }
      avg: { readingMinutes: number | null }
      max: { publishedAt: string | null }
      count: number
    }
  >(true)
  const ranked = await quire.articles.find({
    rank: {
      query: 'alps',
      match: 'all',
      fields: ['title', 'body'],
      highlights: ['body'],
      facets: ['category'],
    },
    fields: ['title'],
  })
  const [matches] = ranked.search?.highlights ?? []
  isExactly<NonNullable<typeof matches>['body'], readonly string[] | undefined>(true)
  const most = ranked.search?.facets?.category?.counts[0]
  isExactly<NonNullable<typeof most>['value'], string | boolean | null>(true)
  for (const group of await quire.$search('alps', { locale: 'de', limit: 3 })) {
    isExactly<typeof group.type, 'article' | 'country'>(true)
    if (group.type === 'country') isExactly<(typeof group.entries)[number]['cca3'], string>(true)
  }
  const [found] = await quire.$search('alps', { types: ['article'] })
  if (found !== undefined) isExactly<(typeof found.entries)[number]['title'], string>(true)
}

export async function bad(): Promise<void> {
  // @ts-expect-error an unknown attribute
  await quire.articles.find({ fields: ['tilte'] })
  // @ts-expect-error an unknown attribute of a filter
  await quire.articles.find({ filters: { tilte: 'x' } })
  // @ts-expect-error an unknown operator
  await quire.articles.find({ filters: { title: { $like: 'x' } } })
  // @ts-expect-error an operator that numbers do not have
  await quire.articles.find({ filters: { readingMinutes: { $contains: '5' } } })
  // @ts-expect-error an operand of another type
  await quire.articles.find({ filters: { readingMinutes: { $gt: 'five' } } })
  // @ts-expect-error no value of the enumeration
  await quire.countries.find({ filters: { region: { $eq: 'Atlantis' } } })
  // @ts-expect-error an unknown attribute of a relation
  await quire.articles.find({ filters: { category: { nmae: 'x' } } })
  // @ts-expect-error an unknown relation
  await quire.articles.find({ populate: ['author'] })
  // @ts-expect-error an unknown relation by name
  await quire.articles.find({ populate: { author: true } })
  // @ts-expect-error an unknown field of what is populated
  await quire.articles.find({ populate: { category: { fields: ['nmae'] } } })
  // @ts-expect-error an unknown relation of what is populated
  await quire.articles.find({ populate: { category: { populate: { author: true } } } })
  // @ts-expect-error an unknown option of what is populated
  await quire.articles.find({ populate: { category: { feilds: ['name'] } } })
  // @ts-expect-error an unknown filter of what is populated
  await quire.articles.find({ populate: { countries: { filters: { nmae: 'x' } } } })
  // @ts-expect-error an unknown component of a zone
  await quire.articles.find({ populate: { sections: { on: { 'shared.seo': {} } } } })
  // @ts-expect-error an unknown order
  await quire.articles.find({ sort: 'tilte:desc' })
  // @ts-expect-error an unknown direction
  await quire.articles.find({ sort: 'title:down' })
  // @ts-expect-error an unknown locale
  await quire.articles.find({ locale: 'fr' })
  // @ts-expect-error an unknown status
  await quire.articles.find({ status: 'archived' })
  // @ts-expect-error an unknown parameter
  await quire.articles.find({ pageSzie: 5 })
  // @ts-expect-error an attribute that is not searched
  await quire.articles.find({ rank: { query: 'x', fields: ['slug'] } })
  // @ts-expect-error matches of an attribute that is not searched
  await quire.articles.find({ rank: { query: 'x', highlights: ['slug'] } })
  // @ts-expect-error a facet of a text
  await quire.articles.find({ rank: { query: 'x', facets: ['title'] } })
  // @ts-expect-error a content-type without the option search
  await quire.cities.find({ rank: 'x' })
  // @ts-expect-error the singular name of a content-type without the option search
  await quire.$search('x', { types: ['city'] })
  // @ts-expect-error an unknown type
  await quire.artciles.find()
  const { entries } = await quire.articles.find({ fields: ['title'] })
  const feedOf = await quire.$query('home-feed')
  // @ts-expect-error a field that was not asked for
  entries[0]?.slug
  // @ts-expect-error a relation that was not populated
  entries[0]?.category
  // @ts-expect-error what is required
  await quire.countries.create({ name: 'Atlantis' })
  // @ts-expect-error an unknown attribute of a write
  await quire.articles.create({ title: 'x', body: 'x', tilte: 'x' })
  // @ts-expect-error a component that the zone does not hold
  await quire.articles.create({ title: 'x', body: 'x', sections: [{ __component: 'shared.seo' }] })
  // @ts-expect-error an attribute that a published entry requires
  await quire.articles.create({ title: 'x' })
  // @ts-expect-error null for an attribute that a published entry requires
  await quire.articles.create({ title: null, body: 'x' }, { status: 'published' })
  // @ts-expect-error a draft may have no title
  ;(await quire.articles.get('x', { status: 'draft' })).title.length
  // @ts-expect-error a draft may have no title
  ;(await quire.articles.unpublish('x')).title.length
  // @ts-expect-error pages by cursor have no number
  ;(await quire.articles.find({ cursor: '' })).page
  // @ts-expect-error pages by number have no cursor
  ;(await quire.articles.find({ page: 1 })).nextCursor
  // @ts-expect-error an unknown type of a line
  await quire.$bulk([{ op: 'delete', type: 'articles', documentId: 'x' }])
  // @ts-expect-error an unknown attribute of a line
  await quire.$bulk([{ op: 'upsert', type: 'article', documentId: 'x', data: { tilte: 'x' } }])
  // @ts-expect-error a line without an id or a key
  await quire.$bulk([{ op: 'delete', type: 'article' }])
  // @ts-expect-error an unknown query
  await quire.$query('home-fed')
  // @ts-expect-error an unknown parameter of a query
  await quire.$query('home-feed', { categroy: 'maps' })
  // @ts-expect-error a parameter of another type
  await quire.$query('home-feed', { page: 'two' })
  // @ts-expect-error a parameter that is required
  await quire.$query('country-by-code')
  // @ts-expect-error groups are not entries
  ;(await quire.$query('articles-by-category')).entries
  // @ts-expect-error what the query does not show
  feedOf.entries[0]?.body
  // @ts-expect-error a single type has no list
  await quire.homepage.find()
}
`

/** The same for a store on a device. */
export const STORE_PROGRAM = `
import { createStore, indexedDbStorage } from '@quire/client/sync'
import { content, createClient } from './content.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isExactly<A, B>(_: Equal<A, B>): void {}

const client = createClient({ url: 'http://127.0.0.1:1337' })
const options = { content, client, storage: indexedDbStorage('atlas') } as const
const store = await createStore({
  ...options,
  types: ['articles', 'countries', 'homepage', '$files'],
  locale: ['en', 'de'],
  filters: { countries: { region: 'Europe' } },
})

export async function good(): Promise<void> {
  const { entries, total } = store.articles.query({
    filters: { title: { $contains: 'Alps' }, countries: { cca2: 'CH' } },
    sort: 'readingMinutes:desc',
    populate: { cover: { fields: ['url', 'thumbhash'] }, countries: { fields: ['name'] } },
    locale: 'de',
    pageSize: 10,
  })
  isExactly<typeof total, number>(true)
  const [first] = entries
  isExactly<
    NonNullable<typeof first>['cover'],
    { id: number; documentId: string; url: string; thumbhash: string | null } | null
  >(true)
  const country = store.countries.get('x', { fields: ['name'] })
  isExactly<typeof country, { id: number; documentId: string; name: string } | null>(true)
  store.homepage.get()?.title
  const drafts = await createStore({ ...options, types: ['articles'], locale: 'en', status: 'draft' })
  isExactly<NonNullable<ReturnType<typeof drafts.articles.get>>['title'], string | null>(true)
  isExactly<NonNullable<ReturnType<typeof store.articles.get>>['title'], string>(true)
  store.$files.query({ filters: { mime: { $startsWith: 'image/' } } }).entries[0]?.url
  const stop = store.countries.subscribe({ sort: 'name' }, ({ entries }) => entries[0]?.flag)
  stop()
}

export async function bad(): Promise<void> {
  // @ts-expect-error a type that the store does not hold
  store.cities
  // @ts-expect-error an unknown attribute
  store.articles.query({ filters: { tilte: 'x' } })
  // @ts-expect-error an unknown operator
  store.articles.query({ filters: { title: { $like: 'x' } } })
  // @ts-expect-error an unknown relation
  store.articles.query({ populate: ['author'] })
  // @ts-expect-error an unknown field of what is populated
  store.articles.query({ populate: { cover: { fields: ['adress'] } } })
  // @ts-expect-error an unknown order
  store.articles.query({ sort: 'tilte' })
  // @ts-expect-error a locale that the store does not hold
  store.articles.query({ locale: 'fr' })
  // @ts-expect-error what only a server can do
  store.articles.query({ search: 'x' })
  // @ts-expect-error a single type has no list
  store.homepage.query()
  // @ts-expect-error what was not populated
  store.articles.query().entries[0]?.cover
  // @ts-expect-error an unknown type
  await createStore({ ...options, types: ['artciles'], locale: 'en' })
  // @ts-expect-error an unknown locale
  await createStore({ ...options, types: ['articles'], locale: 'fr' })
  // @ts-expect-error no locale at all
  await createStore({ ...options, types: ['articles'], locale: [] })
  // @ts-expect-error an unknown attribute of what is held
  await createStore({ ...options, types: ['articles'], locale: 'en', filters: { articles: { tilte: 'x' } } })
}
`

/** The same for the types that openapi-typescript generates from the description. */
export const OPENAPI_PROGRAM = `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.ts'

const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:1337' })

export async function good(): Promise<void> {
  const { data, error } = await client.GET('/api/articles', {
    params: {
      query: {
        'filters[title][$containsi]': 'Alps',
        'filters[readingMinutes][$between]': [1, 5],
        'filters[category][slug][$eq]': 'maps',
        'pagination[pageSize]': 5,
        populate: ['category', 'sections'],
        sort: ['title:desc'],
        locale: 'de',
      },
    },
  })
  if (error !== undefined) return console.log(error.error.name)
  const [first] = data.data
  const section = first?.sections?.[0]
  if (section?.__component === 'shared.quote') section.text satisfies string | null | undefined
  first?.category satisfies components['schemas']['Category'] | null | undefined
  await client.POST('/api/countries', {
    body: { data: { name: 'Atlantis', cca2: 'XA', cca3: 'XAT', region: 'Oceania' } },
  })
}

export async function bad(): Promise<void> {
  // @ts-expect-error an unknown attribute
  await client.GET('/api/articles', { params: { query: { 'filters[tilte][$eq]': 'x' } } })
  // @ts-expect-error an unknown relation
  await client.GET('/api/articles', { params: { query: { populate: ['author'] } } })
  // @ts-expect-error an unknown locale
  await client.GET('/api/articles', { params: { query: { locale: 'fr' } } })
  // @ts-expect-error an unknown path
  await client.GET('/api/artciles')
  // @ts-expect-error what is required
  await client.POST('/api/countries', { body: { data: { name: 'Atlantis' } } })
}
`

/** For types with a default populate. */
export const POPULATED_PROGRAM = `
import { createClient } from './content.ts'

const quire = createClient({ url: 'http://127.0.0.1:1337' })

export async function read(): Promise<void> {
  for (const post of (await quire.posts.find()).entries) {
    const name: string | null | undefined = post.author?.name
    const count: number = post.tags.length
    console.log(name, count)
    // @ts-expect-error the default populate selects the name only
    console.log(post.author?.bio)
    // @ts-expect-error the default populate does not contain it
    console.log(post.cover)
  }
  const one = await quire.posts.get('x', { fields: ['title'] })
  console.log(one.author?.name, one.tags[0]?.name)
  const home = await quire.home.get()
  console.log(home.lead?.title)
  const named = await quire.posts.get('x', { populate: { cover: true } })
  console.log(named.cover?.url)
  // @ts-expect-error a populate of the request replaces the default
  console.log(named.author)
  const created = await quire.posts.create({ title: 'x' })
  // @ts-expect-error responses to writes contain no default populate
  console.log(created.author)
}
`
