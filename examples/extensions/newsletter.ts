import { createTransport } from 'nodemailer'
import { defineExtension, type Extension } from '@quire/server'

interface NewsletterOptions {
  /** Such as `smtp://127.0.0.1:587`. */
  readonly smtpUrl: string
  readonly from: string
  /** The address of an article on the site. */
  readonly addressOf: (slug: string) => string
}

const PAGE_SIZE = 100

/**
 * Sends each article to all subscribers when it is published for the first time. Needs the content-type `subscriber` with
 * the attribute `email`, and `mailing` with the unique attribute `article`.
 */
export function newsletter({ smtpUrl, from, addressOf }: NewsletterOptions): Extension {
  const transport = createTransport(smtpUrl)
  return defineExtension({
    name: 'newsletter',
    contentTypes: {
      'api::article.article': {
        async afterCommit({ documentId, changes, content, signal }) {
          const acting = { as: 'system' } as const
          if (
            !changes.some(({ operation, status }) => operation === 'put' && status === 'published')
          )
            return
          const mailed = await content.mailings.count({ filters: { article: documentId } }, acting)
          const article = await content.articles.findOne(documentId, {}, acting)
          if (mailed > 0 || article === null) return
          let cursor: string | null = ''
          while (cursor !== null) {
            const query = { fields: ['email'], pagination: { cursor, pageSize: PAGE_SIZE } }
            const { data, meta } = await content.subscribers.find(query, acting)
            for (const subscriber of data) {
              signal.throwIfAborted()
              await transport.sendMail({
                from,
                to: String(subscriber.email),
                subject: String(article.title),
                text: `Read it at ${addressOf(String(article.slug))}`,
                // A repeated call sends the same id, so that mail servers drop the copy.
                messageId: `<${documentId}.${String(subscriber.documentId)}@newsletter>`,
              })
            }
            cursor = meta.pagination.nextCursor ?? null
          }
          await content.mailings.create({ article: documentId }, acting)
        },
      },
    },
    stop: () => transport.close(),
  })
}
