import { defineExtension, type Extension } from '@quire/server'

const DAY_MS = 86_400_000

/**
 * Creates a digest of the articles of the last day, each morning at six. Needs the content-type `digest` with the
 * unique attribute `day` and the relation `articles`.
 */
export function nightlyDigest({
  timeZone = 'UTC',
}: { readonly timeZone?: string } = {}): Extension {
  return defineExtension({
    name: 'nightly-digest',
    jobs: [
      {
        name: 'digest',
        cron: '0 6 * * *',
        timeZone,
        catchUp: true,
        async run({ content, log, at }) {
          const day = at.toISOString().slice(0, 10)
          const existing = await content.digests.count({ filters: { day } }, { as: 'system' })
          if (existing > 0) return // the run was interrupted after the creation
          const since = new Date(at.getTime() - DAY_MS)
          const { data } = await content.articles.find(
            {
              filters: { publishedAt: { $gte: since.toISOString(), $lt: at.toISOString() } },
              sort: 'publishedAt',
              fields: ['title'],
              pagination: { limit: 100 },
            },
            { as: 'system' },
          )
          if (data.length === 0) return
          const articles = data.map(({ documentId }) => documentId)
          await content.digests.create({ day, articles }, { as: 'system' })
          log.info({ day, articles: articles.length }, 'created the digest')
        },
      },
    ],
  })
}
