import type { SeededIds } from './workloads.ts'

const DEEP_PAGE = 5_000
const PAGE_SIZE = 25

interface Listed {
  readonly data: readonly { readonly id: number; readonly documentId: string }[]
  readonly meta: { readonly pagination: { readonly pageCount?: number } }
}

export async function readSeeded(base: string, posts: number): Promise<SeededIds> {
  const list = async (path: string): Promise<Listed> =>
    (await (await fetch(`${base}/api/${path}`)).json()) as Listed
  const [country] = (await list('countries?filters[cca3][$eq]=CHE')).data
  const cities = `cities?fields=name&pagination[pageSize]=${PAGE_SIZE}`
  const { pageCount = 1 } = (await list(cities)).meta.pagination
  const page = Math.max(Math.min(DEEP_PAGE, pageCount), 2)
  const before = await list(`${cities}&pagination[page]=${page - 1}`)
  const afterId = before.data.at(-1)?.id ?? 0
  const tip = await readTip(base)
  return { posts, country: country?.documentId ?? '', deep: { afterId, page }, tip }
}

/** The sync token after all posts. */
async function readTip(base: string): Promise<string> {
  let path = '/api/_sync?types=post&limit=1000'
  for (;;) {
    const page = (await (await fetch(base + path)).json()) as SyncedPage
    if (!page.more) return page.next
    path = `/api/_sync?token=${page.next}`
  }
}

interface SyncedPage {
  readonly next: string
  readonly more: boolean
}
