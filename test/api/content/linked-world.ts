import { expect } from 'chai'
import { declare, type Json, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

function withUrl(type: object, url: string): object {
  const { options } = type as { readonly options: object }
  return { ...type, options: { ...options, url } }
}

/** Pages link to articles, to notes without a URL, and to secrets and memos that not everybody sees. */
export const LINKED_TYPES: Readonly<Record<string, object>> = {
  page: declare(
    'page',
    {
      title: { type: 'string', ...LOCALIZED },
      body: { type: 'blocks', ...LOCALIZED },
      intro: { type: 'blocks', pluginOptions: { i18n: { localized: false } } },
      parts: { type: 'component', component: 'shared.part', repeatable: true, ...LOCALIZED },
      zone: { type: 'dynamiczone', components: ['shared.part'], ...LOCALIZED },
    },
    { draftAndPublish: true, localized: true },
  ),
  menu: declare('menu', {
    name: { type: 'string' },
    pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page' },
  }),
  article: withUrl(
    declare(
      'article',
      { title: { type: 'string', ...LOCALIZED }, slug: { type: 'string', ...LOCALIZED } },
      { draftAndPublish: true, localized: true },
    ),
    '/{locale}/articles/{slug}',
  ),
  note: declare('note', { text: { type: 'string' } }),
  secret: withUrl(declare('secret', { slug: { type: 'string' } }), '/secrets/{slug}'),
  memo: withUrl(
    declare('memo', { slug: { type: 'string' }, isOpen: { type: 'boolean' } }),
    'https://example.org/memos/{slug}',
  ),
  'components/shared/part': {
    info: { displayName: 'part' },
    attributes: { text: { type: 'blocks' } },
  },
  'queries/pages': { type: 'page', sort: ['id'] },
}

/** With the option for tables in each type, and in the component. */
export const EXTENDED_TYPES: Readonly<Record<string, object>> = Object.fromEntries(
  Object.entries(LINKED_TYPES).map(([name, type]) => {
    const { options } = type as { readonly options?: object }
    return [
      name,
      name.startsWith('queries') ? type : { ...type, options: { ...options, blocks: 'extended' } },
    ]
  }),
)

export const ARTICLE = 'api::article.article'
export const NOTE = 'api::note.note'
export const SECRET = 'api::secret.secret'
export const MEMO = 'api::memo.memo'

export function linkTo(type: string, documentId: string, url = ''): object {
  return {
    type: 'link',
    url,
    entry: { type, documentId },
    children: [{ type: 'text', text: 'more' }],
  }
}

export function blocksWith(...links: readonly object[]): readonly object[] {
  return [{ type: 'paragraph', children: [{ type: 'text', text: 'See ' }, ...links] }]
}

const TEXT = { type: 'text', text: 'Words' }

/** A header row with two cells, and a row whose first cell has the given links. */
export function tableWith(...links: readonly object[]): readonly object[] {
  const row = (type: string, children: readonly object[]): object => ({
    type: 'table-row',
    children: [
      { type, children },
      { type, children: [TEXT] },
    ],
  })
  const rows = [row('table-header-cell', [TEXT]), row('table-cell', [TEXT, ...links])]
  return [{ type: 'table', children: rows }]
}

/** The links of a response, at any depth, as `[url, documentId]`. */
export function linksIn(shown: Json): readonly (readonly [string, string | null])[] {
  if (Array.isArray(shown)) return shown.flatMap(linksIn)
  if (typeof shown !== 'object' || shown === null) return []
  if (shown.type !== 'link') return Object.values(shown).flatMap(linksIn)
  return [[shown.url, shown.entry?.documentId ?? null]]
}

export async function added(server: TestServer, path: string, data: object): Promise<string> {
  const answer = await server.post(path, data)
  expect(answer.status, answer.text).to.equal(201)
  return answer.body.data.documentId
}
