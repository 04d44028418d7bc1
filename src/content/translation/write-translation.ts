import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { DocumentContext } from '../context.ts'
import { addressOf, updatePermitted } from '../write/update-document.ts'
import { isGivable, underRules, withSet } from '../write-rules.ts'
import type { StoredTranslation, TranslatedEntry, Translator } from './read-translated.ts'

interface TranslatedWrite {
  readonly entry: TranslatedEntry
  readonly stored: StoredTranslation
  readonly data: Data
  /** The attributes with a text of the file. */
  readonly given: ReadonlySet<string>
}

/**
 * Values that the translation begins with are left out where the rule of the write refuses them.
 * @throws as `updateDocument`
 */
export function writeTranslation(
  context: DocumentContext,
  { plan, writer: person, origin }: Translator,
  { entry: { documentId, to }, stored: { target }, data, given }: TranslatedWrite,
): Promise<StoredVersion> {
  const writer = { ...person, locale: to }
  const status = plan.draftAndPublish ? ('draft' as const) : ('published' as const)
  const condition =
    target === null
      ? ({ match: null, noneMatch: '*' } as const)
      : { match: new Set([revisionOf(target)]), noneMatch: null }
  const request = { plan, documentId, key: { locale: to, status }, writer, origin, condition }
  const write = { ...addressOf(request), data: pick(data, (name) => given.has(name)) }
  return underRules(context, writer.rules, write, (permit) => {
    const permitted = pick(data, (name) => given.has(name) || isGivable(permit, name))
    return updatePermitted(context, { ...request, permit }, withSet(permitted, permit))
  })
}

function pick(data: Data, isPicked: (name: string) => boolean): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => isPicked(name)))
}
