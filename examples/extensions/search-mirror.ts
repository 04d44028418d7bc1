import { defineExtension, type Extension } from '@quire/server'

interface MirrorOptions {
  /** Such as `http://127.0.0.1:7700`. */
  readonly url: string
  readonly apiKey: string
  readonly index?: string
}

const PAGE_SIZE = 100
const FIELDS = ['title', 'slug', 'body']

/** Mirrors published articles to an index of Meilisearch. A job sends all of them again each week. */
export function searchMirror({ url, apiKey, index = 'articles' }: MirrorOptions): Extension {
  const send = async (
    method: string,
    path: string,
    signal: AbortSignal,
    body?: unknown,
  ): Promise<void> => {
    const answer = await fetch(new URL(`/indexes/${index}/documents${path}`, url), {
      method,
      signal,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`Meilisearch responded with ${answer.status}`)
  }
  return defineExtension({
    name: 'search-mirror',
    contentTypes: {
      'api::article.article': {
        async afterCommit({ documentId, changes, content, signal }) {
          if (changes.every(({ status }) => status === 'draft')) return
          const article = await content.articles.findOne(
            documentId,
            { fields: FIELDS },
            { as: 'system' },
          )
          if (article === null) await send('DELETE', `/${documentId}`, signal)
          else await send('PUT', '?primaryKey=documentId', signal, [article])
        },
      },
    },
    jobs: [
      {
        name: 'send-all',
        cron: '0 4 * * 0',
        async run({ content, signal }) {
          let cursor: string | null = ''
          while (cursor !== null) {
            const query = { fields: FIELDS, pagination: { cursor, pageSize: PAGE_SIZE } }
            const { data, meta } = await content.articles.find(query, { as: 'system' })
            if (data.length > 0) await send('PUT', '?primaryKey=documentId', signal, data)
            cursor = meta.pagination.nextCursor ?? null
          }
        },
      },
    ],
  })
}
