import { declare } from '../../support/server.ts'

const relation = (kind: string, target: string): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
})

/** The content-types that the extensions of `examples/extensions` need. */
export const BLOG_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true },
      slug: { type: 'string', unique: true },
      body: { type: 'richtext' },
    },
    { draftAndPublish: true },
  ),
  redirect: declare('redirect', {
    from: { type: 'string', unique: true, required: true },
    article: relation('manyToOne', 'article'),
  }),
  digest: declare('digest', {
    day: { type: 'date', unique: true },
    articles: relation('manyToMany', 'article'),
  }),
  mailing: declare('mailing', { article: { type: 'string', unique: true, required: true } }),
  subscriber: declare('subscriber', { email: { type: 'email', unique: true, required: true } }),
}
