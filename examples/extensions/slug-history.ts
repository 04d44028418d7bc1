import { defineExtension, type Extension, NotFoundError } from '@quire/server'

/**
 * Keeps the earlier slugs of articles, and redirects from them. Needs the content-type `redirect` with the unique
 * attribute `from` and the relation `article`.
 */
export function slugHistory(): Extension {
  return defineExtension({
    name: 'slug-history',
    contentTypes: {
      'api::article.article': {
        async beforeWrite({ operation, documentId, data, previous, dryRun, content }) {
          const [before, after] = [previous?.slug, data.slug]
          const isMoved =
            operation === 'update' && typeof before === 'string' && after !== undefined
          if (!isMoved || after === before || dryRun) return data
          const redirects = await content.redirects.find(
            { filters: { from: { $in: [before, after] } }, fields: ['from'] },
            { as: 'system' },
          )
          for (const { documentId: redirect, from } of redirects.data) {
            // The article that uses the slug now takes precedence.
            if (from === after) await content.redirects.delete(String(redirect), { as: 'system' })
          }
          // The hook runs again if another write was faster.
          if (redirects.data.some(({ from }) => from === before)) return data
          await content.redirects.create({ from: before, article: documentId }, { as: 'system' })
          return data
        },
      },
    },
    routes(router) {
      router.get('/api/article-by-slug/:slug', { permission: 'public' }, async (ctx) => {
        const { slug } = ctx.params
        const acting = { as: ctx.principal }
        const found = await ctx.content.articles.find({ filters: { slug } }, acting)
        const article = found.data.at(0)
        if (article !== undefined) {
          ctx.body = { data: article }
          return
        }
        const moved = await ctx.content.redirects.find(
          { filters: { from: slug }, populate: { article: { fields: ['slug'] } } },
          { as: 'system' },
        )
        const target = moved.data.at(0)?.article as { readonly slug?: string } | null | undefined
        if (target?.slug === undefined)
          throw new NotFoundError('There is no article with this slug')
        ctx.status = 301
        ctx.set('Location', `/api/article-by-slug/${encodeURIComponent(target.slug)}`)
      })
    },
  })
}
