import { postData, postId } from './content.ts'
import { cursorAfter } from './bare-read.ts'
import { ROOT_TOKEN } from './prepare.ts'

/** One kind of request, and what PRODUCT 9 expects of it. */
export interface Workload {
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** In turn. */
  readonly paths: readonly string[]
  readonly bodies: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** In words. */
  readonly goal: string
}

export const UNCOUNTED = 'pagination[withCount]=false'
const BODIES = 500
const CITIES_PAGE = 'fields=name&pagination[pageSize]=25'

/** What the paths need to know of what was seeded. */
export interface Seeded {
  readonly posts: number
  /** The documentId of Switzerland. */
  readonly country: string
  /** The `id` of the last city before the deep page, and which page it is. */
  readonly deep: { readonly afterId: number; readonly page: number }
}

export function workloadsFor({ posts, country, deep }: Seeded): readonly Workload[] {
  const get = (name: string, goal: string, ...paths: readonly string[]): Workload => ({
    name,
    goal,
    method: 'GET',
    paths: paths.map((path) => `/api/${path}`),
    bodies: [],
    headers: {},
  })
  const ids = Array.from({ length: posts }, (_, index) => postId(index))
  return [
    get('list', 'at least 70 % of the limit', `posts?${UNCOUNTED}`),
    get('populated', 'at least 60 % of the limit', `posts?populate=writer,topics&${UNCOUNTED}`),
    get('findOne', 'at least 70 % of the limit', ...ids.map((id) => `posts/${id}`)),
    get(
      'indexed filter',
      'what the deep filter compares with',
      `cities?${CITIES_PAGE}&filters[country][documentId][$eq]=${country}`,
    ),
    get(
      'deep filter',
      'p50 at most 3 × that of the indexed filter',
      `cities?${CITIES_PAGE}&filters[country][borders][cca3][$eq]=CHE`,
    ),
    get('cursor page 1', 'what the deep page compares with', citiesAfter('')),
    get(
      'cursor deep page',
      `page ${deep.page}: p50 at most 1.5 × that of page 1`,
      citiesAfter(cursorAfter(deep.afterId)),
    ),
    {
      name: 'create',
      goal: 'create + publish: at most 6 commands, at least 400/s',
      method: 'POST',
      paths: ['/api/posts'],
      bodies: createBodies(),
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${ROOT_TOKEN}` },
    },
  ]
}

function citiesAfter(cursor: string): string {
  return `cities?${CITIES_PAGE}&pagination[cursor]=${cursor}&${UNCOUNTED}`
}

/** Without a slug, which would have to be unique. */
function createBodies(): readonly string[] {
  return Array.from({ length: BODIES }, (_, index) => {
    const { slug, ...data } = postData(index)
    return JSON.stringify({ data: { ...data, title: `New ${String(slug)}` } })
  })
}
