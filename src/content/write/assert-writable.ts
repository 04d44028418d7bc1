import { NotFoundError } from '../../base/errors.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { DocumentContext } from '../context.ts'
import { matcherOf } from '../rules/visible-documents.ts'
import { matchingRequired, type RequiredRules } from '../rules/write-guard.ts'
import { type AddressedWrite, refuseHidden, type WriteRules } from '../write-rules.ts'

/**
 * Whether the rules permit to change the versions as they are now. The write itself applies the rules again.
 * @throws NotFoundError if the document is missing or hidden from the caller, ForbiddenError
 */
export async function assertWritable(
  context: DocumentContext,
  rules: WriteRules | undefined,
  write: AddressedWrite,
): Promise<void> {
  if (rules === undefined) return
  await refuseHidden(context, rules, write)
  const { plan, documentId, verb, locale, locales } = write
  const action = contentAction(plan, verb)
  if (rules.has(action)) return
  const rows = await versionsOf(context.database, plan).find(matchDocument(documentId)).toArray()
  const matcher = matcherOf(context, rules, locale)
  let required: readonly RequiredRules[] = [{ verb, rules: rules.rulesFor(action) }]
  const own = locales ?? (await rules.visibleLocales(context, write))
  const addressed = rows.filter((row) => own?.includes(String(row['locale'])) ?? true)
  if (addressed.length === 0) throw new NotFoundError('Not Found')
  for (const row of addressed) {
    required = await matchingRequired(matcher, required, { plan, row, session: undefined })
  }
}
