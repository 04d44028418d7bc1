import { makePost, postId, makePostSlug } from './content.ts'
import { encodeCursorAfter } from './bare-read.ts'
import { type LoadMethod, UNIQUE } from './load.ts'
import { ROOT_TOKEN } from './prepare.ts'

export interface Workload {
  readonly name: string
  /** The seeded type that it reads or writes. The number of posts is an option. */
  readonly about: 'posts' | 'cities'
  readonly method: LoadMethod
  /** Used in turn. */
  readonly paths: readonly string[]
  readonly bodies: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly goal: string
}

export const UNCOUNTED = 'pagination[withCount]=false'
const BODIES = 500
/** Maximum number of distinct posts that are requested individually. */
const PATHS = 2_000
const CITIES_PAGE = 'fields=name&pagination[pageSize]=25'
const READ = 'at least 85 % of the limit'
const WRITE = 'at least 50 % of the limit'

export interface SeededIds {
  readonly posts: number
  /** The documentId of Switzerland. */
  readonly country: string
  /** The `id` of the last city before the deep page, and the number of that page. */
  readonly deep: { readonly afterId: number; readonly page: number }
  /** The sync token after all posts. */
  readonly tip: string
}

export function makeWorkloads(seeded: SeededIds): readonly Workload[] {
  return [
    ...postReads(seeded.posts),
    ...syncReads(seeded),
    ...cityReads(seeded),
    ...postWrites(seeded.posts),
  ]
}

function postReads(posts: number): readonly Workload[] {
  const numbers = somePosts(posts)
  return [
    read('posts', 'list', READ, `posts?${UNCOUNTED}`),
    ofMemory('cached list', {}, `posts?${UNCOUNTED}`),
    ofMemory('304', { 'If-None-Match': '*' }, `posts?${UNCOUNTED}`),
    read('posts', 'counted list', READ, 'posts'),
    read('posts', 'newest', READ, `posts?sort=createdAt:desc&${UNCOUNTED}`),
    read('posts', 'populated', READ, `posts?populate=writer,topics&${UNCOUNTED}`),
    read('posts', 'findOne', READ, ...numbers.map((number) => `posts/${postId(number)}`)),
    read(
      'posts',
      'by slug',
      'at least 80 % of the limit',
      ...numbers.map((number) => `posts?filters[slug][$eq]=${makePostSlug(number)}`),
    ),
  ]
}

/** A page with four times the rows of the list, and a sync without changes. */
function syncReads({ tip }: SeededIds): readonly Workload[] {
  return [
    read('posts', 'sync first page', READ, '_sync?types=post&limit=100'),
    read('posts', 'sync tip', 'no query: above the limit, which makes one', `_sync?token=${tip}`),
  ]
}

function cityReads({ country, deep }: SeededIds): readonly Workload[] {
  return [
    read(
      'cities',
      'indexed filter',
      'baseline of the deep filter',
      `cities?${CITIES_PAGE}&filters[country][documentId][$eq]=${country}`,
    ),
    read(
      'cities',
      'deep filter',
      'p50 at most 3 × that of the indexed filter',
      `cities?${CITIES_PAGE}&filters[country][borders][cca3][$eq]=CHE`,
    ),
    read('cities', 'cursor page 1', 'baseline of the deep page', citiesAfter('')),
    read(
      'cities',
      'cursor deep page',
      `page ${deep.page}: p50 at most 1.5 × that of page 1`,
      citiesAfter(encodeCursorAfter(deep.afterId)),
    ),
  ]
}

function postWrites(posts: number): readonly Workload[] {
  const shared = {
    about: 'posts',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ROOT_TOKEN}` },
    goal: WRITE,
  } as const
  return [
    { ...shared, name: 'create', method: 'POST', paths: ['/api/posts'], bodies: createBodies() },
    {
      ...shared,
      name: 'update',
      method: 'PUT',
      paths: somePosts(posts).map((number) => `/api/posts/${postId(number)}`),
      bodies: [JSON.stringify({ data: { title: `Changed ${UNIQUE}`, rating: 3 } })],
    },
  ]
}

function read(
  about: Workload['about'],
  name: string,
  goal: string,
  ...paths: readonly string[]
): Workload {
  const urls = paths.map((path) => `/api/${path}`)
  return { name, about, method: 'GET', paths: urls, bodies: [], headers: FROM_DATABASE, goal }
}

/** Disables the response cache. */
const FROM_DATABASE = { 'Cache-Control': 'no-store' }

/** A response that Quire has cached. The bare server reads its database. */
function ofMemory(name: string, headers: Workload['headers'], path: string): Workload {
  const goal = 'at least 10 × the list of the same run'
  return { ...read('posts', name, goal, path), headers }
}

/** Evenly spread. */
function somePosts(posts: number): readonly number[] {
  const count = Math.min(posts, PATHS)
  return Array.from({ length: count }, (_, index) => Math.floor((index * posts) / count))
}

function citiesAfter(cursor: string): string {
  return `cities?${CITIES_PAGE}&pagination[cursor]=${cursor}&${UNCOUNTED}`
}

/** Each has two relations and a unique slug. */
function createBodies(): readonly string[] {
  return Array.from({ length: BODIES }, (_, index) =>
    JSON.stringify({ data: { ...makePost(index), slug: `new-${UNIQUE}` } }),
  )
}
