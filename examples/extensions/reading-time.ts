import { defineExtension, type Extension } from '@quire/server'

/** Adds the attribute `readingTime` to articles, in minutes. */
export function readingTime({
  wordsPerMinute = 200,
}: { readonly wordsPerMinute?: number } = {}): Extension {
  return defineExtension({
    name: 'reading-time',
    contentTypes: {
      'api::article.article': {
        computed: {
          readingTime: {
            type: 'integer',
            version: 1,
            from: ['body'],
            description: 'Minutes to read the body',
            value: ({ body }) => {
              if (typeof body !== 'string') return null
              const words = body.split(/\s+/).filter((word) => word !== '').length
              return Math.max(1, Math.ceil(words / wordsPerMinute))
            },
          },
        },
      },
    },
  })
}
