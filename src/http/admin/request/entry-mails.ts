import type { Log } from '../../../base/log.ts'
import type { CommentedEntry } from '../../../content/comments/comments.ts'
import type { Mailer } from '../../../people/accounts/mailer.ts'
import { getAdministrator } from '../../../people/administrators/administrators.ts'
import { ruledAdministrator } from '../../../people/administrators/principals.ts'
import { type CommentSources, isShownComment, readCommented } from './commented-entry.ts'

export interface EntryMails {
  /** Null if no mail can be sent. */
  readonly mailer: Mailer | null
  readonly publicUrl: string
  readonly log: Pick<Log, 'warn'>
}

export interface EntryMail {
  /** Administrators. */
  readonly to: readonly string[]
  /** The attribute that the mail is about. */
  readonly attribute: string | null
  readonly write: (title: string) => { readonly subject: string; readonly text: string }
}

/** Checks the rights of each recipient. A failure is only logged. */
export async function mailAboutEntry(
  { mailer, publicUrl, log, ...sources }: EntryMails & CommentSources,
  entry: CommentedEntry,
  { to, attribute, write }: EntryMail,
): Promise<void> {
  if (mailer === null) return
  for (const id of to) {
    try {
      const title = await titleFor(sources, entry, attribute, id)
      if (title === null) continue
      const { email } = await getAdministrator(sources.administrators, id)
      const { subject, text } = write(title)
      await mailer.send({
        to: email,
        subject: subject.slice(0, MAX_SUBJECT_LENGTH),
        text: `${text}\n\nOpen the entry: ${linkTo(publicUrl, entry)}\n`,
      })
    } catch (err) {
      log.warn({ err, administrator: id }, 'A mail about an entry could not be sent')
    }
  }
}

const MAX_SUBJECT_LENGTH = 200

/** Null if the entry or the attribute is hidden from the administrator. */
async function titleFor(
  sources: CommentSources,
  entry: CommentedEntry,
  attribute: string | null,
  id: string,
): Promise<string | null> {
  const principal = await ruledAdministrator(sources.administrators, id)
  if (principal === null || !isShownComment(principal, entry.plan)({ attribute })) return null
  const facts = await readCommented(principal, sources, entry)
  if (facts === null) return null
  const title = facts.title.replaceAll(/\s+/g, ' ').trim()
  return title === '' ? entry.plan.displayName : title
}

function linkTo(publicUrl: string, { plan, documentId, locale }: CommentedEntry): string {
  const search = plan.localized ? `?locale=${encodeURIComponent(locale)}` : ''
  const place = plan.kind === 'singleType' ? plan.singularName : `${plan.pluralName}/${documentId}`
  return `${publicUrl}/studio/content/${place}${search}`
}
